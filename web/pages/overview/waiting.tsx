import { useLive } from '../../data/api/live.ts';
import { isWait, waitWords } from '../../data/events/events.ts';
import { numeric } from '../../data/format/text.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { Section } from '../../parts/head/head.tsx';
import { ErrorNote } from '../../parts/note/note.tsx';
import { StatusMark } from '../../parts/status/status.tsx';
import { Time } from '../../parts/value/value.tsx';

const MOST = 8;

/** Runs that wait for an event, the longest wait first. */
export function WaitingList({ namespace }: { readonly namespace: string }) {
  const { value, error } = useLive('listEventListeners', { namespace });
  const runs = (value.value?.results ?? []).filter(isWait).toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
  return (
    <Section title="Waiting" detail={runs.length > 0 ? numeric(runs.length) : undefined}>
      {error.value && <ErrorNote title="They cannot be listed" error={error.value} />}
      {value.value !== undefined && runs.length === 0 && <p class="none">No run waits for an event or a decision.</p>}
      <ul class="short-list">
        {runs.slice(0, MOST).map((listener) => (
          <li key={listener.instance}>
            <a class="short-row" href={addresses.run(namespace, listener.instance)}>
              <StatusMark status="waiting" />
              <span class="cut">{listener.workflow}</span>
              <code class="quiet cut grows">{waitWords(listener)}</code>
              <span class="quiet">
                <Time at={listener.createdAt} />
              </span>
            </a>
          </li>
        ))}
      </ul>
      {runs.length > MOST && (
        <p class="none">
          <a class="link" href={addresses.events(namespace, { view: 'waiting' })}>
            All {runs.length}
          </a>
        </p>
      )}
    </Section>
  );
}
