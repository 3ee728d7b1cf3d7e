import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { into } from '../../data/api/task.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { actionsOf } from '../../data/services/source.ts';
import { Button } from '../../parts/button/button.tsx';
import { Head } from '../../parts/head/head.tsx';
import { Inspector } from '../../parts/inspector/inspector.tsx';
import { ServiceList } from '../../parts/services/list.tsx';
import { NewService } from '../../parts/services/new-service.tsx';

/** The container services of a namespace. */
export function ServicesPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { namespace = '' } = params;
  const source = useMemo(() => ({ scope: 'namespace', namespace }) as const, [namespace]);
  const actions = actionsOf(source);
  const isAdding = useSignal(false);
  return (
    <div class="page">
      <div class="scroll">
        <Head
          title="Services"
          name={`Services of ${namespace}`}
          actions={
            actions.mayWrite && (
              <Button kind="primary" icon="plus" onClick={() => into(isAdding)(true)}>
                New service
              </Button>
            )
          }
        />
        <ServiceList
          source={source}
          hrefOf={({ info }) => addresses.service(namespace, info.name)}
          none="No services yet. A service is a container image that actions of workflows call; it costs nothing while nothing calls it."
        />
      </div>
      {isAdding.value && (
        <Inspector title="New service" label="New service" onClose={() => into(isAdding)(false)}>
          <NewService actions={actions} onDone={() => into(isAdding)(false)} />
        </Inspector>
      )}
    </div>
  );
}
