import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { InstanceReply, TimelineReply } from '../../../clients/api/operations.ts';
import type { ApiError } from '../../data/api/errors.ts';
import type { GrowingLog } from '../../data/api/growing-log.ts';
import { instantOf } from '../../data/format/time.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { isOver, statusOf } from '../../data/runs/status.ts';
import type { Step } from '../../data/runs/steps.ts';
import { instanceStore } from '../../data/variables/stores.ts';
import { Button } from '../../parts/button/button.tsx';
import { Log } from '../../parts/log/log.tsx';
import { ErrorNote } from '../../parts/note/note.tsx';
import { Tabs } from '../../parts/tabs/tabs.tsx';
import { Variables } from '../../parts/variables/variables.tsx';
import { FamilyTab } from './children-tab.tsx';
import { DataTab, MetadataTab } from './data-tab.tsx';
import { SourceTab } from './source-tab.tsx';
import { StepTab } from './step-tab.tsx';

const TABS = [
  { id: 'log', label: 'Log' },
  { id: 'step', label: 'Step' },
  { id: 'data', label: 'Data' },
  { id: 'source', label: 'Source' },
  { id: 'children', label: 'Children' },
  { id: 'variables', label: 'Variables' },
  { id: 'metadata', label: 'Metadata' },
] as const;

interface InspectorProps {
  readonly namespace: string;
  readonly reply: InstanceReply;
  readonly log: Pick<GrowingLog, 'lines' | 'error'>;
  readonly step: Step | undefined;
  readonly timeline: TimelineReply | undefined;
  /** The state whose lines are marked in the source. */
  readonly state: string | undefined;
  readonly tab: string;
  readonly source: string | undefined;
  readonly sourceError: ApiError | undefined;
  readonly onAllSteps: () => void;
}

function LogTab({ log, step, onAllSteps }: Pick<InspectorProps, 'log' | 'step' | 'onAllSteps'>) {
  const lines = log.lines.value;
  const shown = useMemo(() => {
    if (step === undefined) return lines;
    const isInside = (at: number): boolean => at >= step.from && (step.to === undefined || at <= step.to);
    return lines.filter(({ t, tags }) => tags['state-id'] === step.state && isInside(instantOf(t)));
  }, [lines, step]);
  if (log.error.value !== undefined) return <ErrorNote title="The log cannot be shown" error={log.error.value} />;
  return (
    <>
      {step !== undefined && (
        <div class="step-choice">
          <span class="grows cut">
            Step {step.number}, <code>{step.state}</code>
          </span>
          <Button kind="bare" icon="close" onClick={onAllSteps}>
            All steps
          </Button>
        </div>
      )}
      <Log lines={shown} label="Log" />
    </>
  );
}

function Tab(props: InspectorProps) {
  const { namespace, reply, tab, source, sourceError, state, step } = props;
  const { id } = reply.instance;
  const hasFailed = ['failed', 'crashed', 'timedout'].includes(statusOf(reply.instance));
  const store = useMemo(() => instanceStore(namespace, id), [namespace, id]);
  const open = useSignal('');
  if (tab === 'data') return <DataTab namespace={namespace} id={id} isOver={isOver(reply.instance)} />;
  if (tab === 'step')
    return <StepTab {...{ namespace, id, step }} timeline={props.timeline} isOver={isOver(reply.instance)} />;
  if (tab === 'metadata') return <MetadataTab namespace={namespace} id={id} />;
  if (tab === 'variables')
    return (
      <div class="tab-body">
        <Variables store={store} open={open} />
      </div>
    );
  if (tab === 'children')
    return <FamilyTab namespace={namespace} id={id} invokedBy={reply.invokedBy} isOver={isOver(reply.instance)} />;
  if (tab === 'source') {
    const { path } = reply.workflow;
    return <SourceTab {...{ namespace, path, source, state, hasFailed }} error={sourceError} />;
  }
  return <LogTab {...props} />;
}

/** The details of the run or of its chosen step, in tabs. */
export function RunInspector(props: InspectorProps) {
  const { namespace, reply, step, tab } = props;
  const hrefOf = (id: string): string =>
    addresses.run(namespace, reply.instance.id, { tab: id, step: step && String(step.number) });
  const tabs = TABS.map(({ id, label }) => ({ id, label, href: hrefOf(id) }));
  const current = TABS.some(({ id }) => id === tab) ? tab : 'log';
  return (
    <section class="run-inspector" aria-label="Details">
      <Tabs label="Details of the run" tabs={tabs} current={current} />
      <div class="run-inspector-body">
        <Tab {...props} tab={current} />
      </div>
    </section>
  );
}
