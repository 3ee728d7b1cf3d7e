import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { useGrowingLog } from '../../data/api/growing-log.ts';
import { useLoad } from '../../data/api/live.ts';
import { into } from '../../data/api/task.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { place } from '../../data/navigation/location.ts';
import { globalRegistries, privateRegistries } from '../../data/registries/source.ts';
import { actionsOf } from '../../data/services/source.ts';
import { Button } from '../../parts/button/button.tsx';
import { Head, Section } from '../../parts/head/head.tsx';
import { Inspector } from '../../parts/inspector/inspector.tsx';
import { Log } from '../../parts/log/log.tsx';
import { ErrorNote } from '../../parts/note/note.tsx';
import { Registries } from '../../parts/registries/registries.tsx';
import { ServiceList } from '../../parts/services/list.tsx';
import { NewService } from '../../parts/services/new-service.tsx';
import { Tabs } from '../../parts/tabs/tabs.tsx';

function ServerLog() {
  const { lines, error } = useGrowingLog('getServerLogs', {});
  if (error.value !== undefined) return <ErrorNote title="The log cannot be shown" error={error.value} />;
  return <Log lines={lines.value} label="Log of the server" />;
}

const GLOBAL = { scope: 'global' } as const;

function GlobalServices() {
  const isAdding = useSignal(false);
  const close = () => into(isAdding)(false);
  const add = (
    <Button icon="plus" onClick={() => into(isAdding)(true)}>
      New service
    </Button>
  );
  return (
    <div class="scroll">
      <Section title="Services for all namespaces" actions={add}>
        <ServiceList
          source={GLOBAL}
          hrefOf={({ info }) => addresses.globalService(info.name)}
          none="None yet. Workflows of every namespace can call a service that stands here."
        />
      </Section>
      {isAdding.value && (
        <Inspector title="New service for all namespaces" label="New service" onClose={close}>
          <NewService actions={actionsOf(GLOBAL)} onDone={close} />
        </Inspector>
      )}
    </div>
  );
}

function AllRegistries() {
  const [forAll, forGlobal] = useMemo(() => [globalRegistries(), privateRegistries()] as const, []);
  return (
    <div class="scroll">
      <Section title="For all services">
        <Registries source={forAll} none="None yet." />
      </Section>
      <Section title="For services of all namespaces alone">
        <Registries source={forGlobal} none="None yet." />
      </Section>
    </div>
  );
}

const VIEWS = [
  { id: 'log', label: 'Log', View: ServerLog },
  { id: 'services', label: 'Services', View: GlobalServices },
  { id: 'registries', label: 'Registries', View: AllRegistries },
] as const;

/** The views of the installation, apart from namespaces; for administrators. */
export function ServerPage() {
  const version = useLoad('getVersion', {}).value.value?.api;
  const current = VIEWS.find(({ id }) => id === place.value.query.get('view')) ?? VIEWS[0];
  const tabs = VIEWS.map(({ id, label }) => ({ id, label, href: addresses.server(id === 'log' ? {} : { view: id }) }));
  return (
    <div class="page">
      <Head title="Server" name="Server" detail={version && <span>Weft {version}</span>} />
      <Tabs label="Views of the server" tabs={tabs} current={current.id} />
      <current.View />
    </div>
  );
}
