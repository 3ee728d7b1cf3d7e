import { useCallback } from 'preact/hooks';
import { may } from '../../data/api/session.ts';
import { useActions } from '../../data/navigation/actions.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { go, place, setQuery } from '../../data/navigation/location.ts';
import { Button } from '../../parts/button/button.tsx';
import { Head } from '../../parts/head/head.tsx';
import { Inspector } from '../../parts/inspector/inspector.tsx';
import { Remark } from '../../parts/note/note.tsx';
import { Tabs } from '../../parts/tabs/tabs.tsx';
import { EventDetail } from './detail.tsx';
import { FailedDeliveries } from './failed-deliveries.tsx';
import { EventFilters } from './filters.tsx';
import { History } from './history.tsx';
import { Listeners } from './listeners.tsx';
import { SendPanel } from './send-panel.tsx';

const VIEWS = [
  { id: 'history', label: 'History', View: History },
  { id: 'waiting', label: 'Listeners', View: Listeners },
  { id: 'failed', label: 'Failed deliveries', View: FailedDeliveries },
  { id: 'filters', label: 'Filters', View: EventFilters },
] as const;

function SendButton() {
  return (
    <Button kind="primary" icon="send" onClick={() => setQuery({ send: ' ' })}>
      Send an event
    </Button>
  );
}

/** The form, or a remark if the key may not send events. */
function Sending(props: Parameters<typeof SendPanel>[0]) {
  if (may('broadcastEvent')) return <SendPanel {...props} />;
  return <Remark>Your key may not send events: that takes the permission run.</Remark>;
}

/** The events of a namespace: history, listeners, failed deliveries, filters. */
export function EventsPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { namespace = '', id } = params;
  const { query } = place.value;
  const current = VIEWS.find((view) => view.id === query.get('view')) ?? VIEWS[0];
  const sent = query.get('send');
  useActions(
    () =>
      may('broadcastEvent')
        ? [{ id: 'send', label: 'Send an event', keys: 's', run: () => setQuery({ send: ' ' }) }]
        : [],
    [],
  );
  const close = useCallback(() => {
    const { view, type, text, since } = Object.fromEntries(place.peek().query);
    go(addresses.events(namespace, { view, type, text, since }));
  }, [namespace]);
  const tabs = VIEWS.map((view) => ({
    id: view.id,
    label: view.label,
    href: addresses.events(namespace, view.id === 'history' ? {} : { view: view.id }),
  }));
  return (
    <div class="page">
      <Head title="Events" name={`Events of ${namespace}`} actions={may('broadcastEvent') && <SendButton />} />
      <Tabs label="Views of the events" tabs={tabs} current={current.id} />
      <current.View namespace={namespace} chosen={id} />
      {id !== undefined && sent === null && (
        <Inspector key={id} title="Event" label="Event" onClose={close}>
          <EventDetail namespace={namespace} id={id} />
        </Inspector>
      )}
      {sent !== null && (
        <Inspector title="Send an event" label="Send an event" onClose={close}>
          <Sending namespace={namespace} from={id} type={sent.trim()} attributes={query.get('attributes') ?? '{}'} />
        </Inspector>
      )}
    </div>
  );
}
