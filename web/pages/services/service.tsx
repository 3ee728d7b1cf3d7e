import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { useRead } from '../../data/api/live.ts';
import { into } from '../../data/api/task.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { go } from '../../data/navigation/location.ts';
import { useServices } from '../../data/services/live.ts';
import { actionsOf } from '../../data/services/source.ts';
import { Button } from '../../parts/button/button.tsx';
import { Confirm } from '../../parts/confirm/confirm.tsx';
import { Head, Section } from '../../parts/head/head.tsx';
import { Inspector } from '../../parts/inspector/inspector.tsx';
import { ErrorNote, Skeleton } from '../../parts/note/note.tsx';
import { Pods } from '../../parts/services/pods.tsx';
import { NewRevision, Revisions } from '../../parts/services/revisions.tsx';
import { ServiceState } from '../../parts/services/state.tsx';

interface ServiceButtonsProps {
  readonly name: string;
  readonly onAdd: () => void;
  readonly onRemove: () => Promise<void>;
}

function ServiceButtons({ name, onAdd, onRemove }: ServiceButtonsProps) {
  return (
    <>
      <Button icon="plus" onClick={onAdd}>
        New revision
      </Button>
      <Confirm label="Delete" icon="trash" kind="danger" act={`Delete ${name}`} onConfirm={onRemove}>
        Deletes the service with all its revisions. Actions that call it fail from then on.
      </Confirm>
    </>
  );
}

const sourceOf = (namespace: string | undefined) =>
  namespace === undefined ? ({ scope: 'global' } as const) : ({ scope: 'namespace', namespace } as const);

/** One service of a namespace, or of all: its revisions, how calls are divided, and its containers. */
export function ServicePage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { namespace, name = '' } = params;
  const source = useMemo(() => sourceOf(namespace), [namespace]);
  const actions = actionsOf(source);
  const isAdding = useSignal(false);
  // The stream of all services reports each change of this one.
  const record = useServices(source).list.value?.find(({ info }) => info.name === name);
  const { value, error, reload } = useRead(['service', namespace, name], () => actions.read(name), record);
  const service = value.value;
  if (error.value !== undefined) return <ErrorNote title={`The service ${name} cannot be shown`} error={error.value} />;
  if (service === undefined) return <Skeleton lines={5} />;
  const remove = async () => {
    await actions.remove(name);
    go(namespace === undefined ? addresses.server({ view: 'services' }) : addresses.services(namespace));
  };
  return (
    <div class="page">
      <div class="scroll">
        <Head
          title={name}
          name={`Service ${name}`}
          detail={record && <ServiceState service={record} />}
          actions={
            actions.mayWrite && <ServiceButtons name={name} onAdd={() => into(isAdding)(true)} onRemove={remove} />
          }
        />
        <Section title="Revisions">
          <Revisions service={service} actions={actions} onChange={reload} />
        </Section>
        <Section title="What runs">
          {record && <Pods source={source} service={record} revisions={service.revisions} />}
        </Section>
      </div>
      {isAdding.value && (
        <Inspector title={`New revision of ${name}`} label="New revision" onClose={() => into(isAdding)(false)}>
          <NewRevision service={service} actions={actions} onDone={() => into(isAdding)(false)} />
        </Inspector>
      )}
    </div>
  );
}
