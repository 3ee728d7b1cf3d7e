import { useSignal } from '@preact/signals';
import type { FlowMetricsReply } from '../../../../clients/api/operations.ts';
import { useLoad } from '../../../data/api/live.ts';
import { into } from '../../../data/api/task.ts';
import { numeric } from '../../../data/format/text.ts';
import { duration } from '../../../data/format/time.ts';
import { type Figure, Figures } from '../../../parts/figures/figures.tsx';
import { Select } from '../../../parts/filter/filter.tsx';
import { Section } from '../../../parts/head/head.tsx';
import { ErrorNote, Skeleton } from '../../../parts/note/note.tsx';
import { type Column, Table } from '../../../parts/table/table.tsx';
import type { TabProps } from './tab-props.ts';

type StateMetrics = FlowMetricsReply['states'][number];

const SPANS = [
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last day' },
  { value: '168h', label: 'Last week' },
  { value: '720h', label: 'Last 30 days' },
];

const percent = (rate: number): string => `${Math.round(rate * 100)} %`;
const decimal = (value: number): string => value.toFixed(2).replace(/\.?0+$/, '');

/** The transitions of runs from a state, the most frequent first. */
function exitsOf({ outcomes }: StateMetrics): string {
  const ways = Object.entries(outcomes.transitions).toSorted(([, a], [, b]) => b - a);
  const ends = [
    ...ways.map(([to, count]) => `${to} ${count}`),
    ...(outcomes.success > 0 ? [`end ${outcomes.success}`] : []),
    ...(outcomes.failure > 0 ? [`failure ${outcomes.failure}`] : []),
  ];
  return ends.join(', ');
}

const COLUMNS: readonly Column<StateMetrics>[] = [
  { name: 'State', width: 'minmax(140px, 1fr)', cell: ({ name }) => <code>{name}</code> },
  {
    name: 'Entered',
    width: '80px',
    isRight: true,
    cell: ({ totalExecutions }) => numeric(totalExecutions),
  },
  {
    name: 'A run',
    width: '72px',
    isRight: true,
    cell: ({ meanExecutionsPerInstance }) => decimal(meanExecutionsPerInstance),
  },
  {
    name: 'Time a run',
    width: '96px',
    isRight: true,
    cell: ({ meanMillisecondsPerInstance }) => duration(meanMillisecondsPerInstance),
  },
  { name: 'Failed', width: '80px', isRight: true, cell: ({ failureRate }) => percent(failureRate) },
  { name: 'Retries', width: '72px', isRight: true, cell: ({ totalRetries }) => numeric(totalRetries) },
  { name: 'Then', width: 'minmax(160px, 2fr)', cell: (state) => <span title={exitsOf(state)}>{exitsOf(state)}</span> },
];

function Errors({ reply }: { readonly reply: FlowMetricsReply }) {
  const codes = Object.entries(reply.errorCodes).toSorted(([, a], [, b]) => b - a);
  if (codes.length === 0) return null;
  return (
    <Section title="Errors">
      <ul class="error-codes">
        {codes.map(([code, count]) => (
          <li key={code} class="line">
            <code class="grows">{code}</code>
            <span>{numeric(count)}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Runs({ reply }: { readonly reply: FlowMetricsReply }) {
  const { totalInstancesRun, successRate, successfulExecutions, failureRate, failedExecutions } = reply;
  const figures: Figure[] = [
    { label: 'Runs', value: numeric(totalInstancesRun) },
    { label: 'Succeeded', value: percent(successRate), detail: numeric(successfulExecutions) },
    {
      label: 'Failed',
      value: percent(failureRate),
      detail: numeric(failedExecutions),
      mood: failedExecutions > 0 ? 'failed' : undefined,
    },
    { label: 'Mean time', value: duration(reply.meanInstanceMilliseconds) },
  ];
  return <Figures label="Runs" figures={figures} />;
}

function States({ reply }: { readonly reply: FlowMetricsReply }) {
  if (reply.states.length === 0) return <p class="none">No run in this span.</p>;
  return (
    <Table
      label="States"
      isWhole
      columns={COLUMNS}
      rows={reply.states}
      keyOf={({ name }) => name}
      narrow={(state) => (
        <span class="two-lines">
          <code>{state.name}</code>
          <span>{numeric(state.totalExecutions)}</span>
          <span class="quiet cut">{exitsOf(state)}</span>
          <span>{duration(state.meanMillisecondsPerInstance)}</span>
        </span>
      )}
    />
  );
}

/** Metrics of the runs of a workflow: counts, durations, states and errors. */
export function MetricsTab({ namespace, workflow }: TabProps) {
  const since = useSignal('24h');
  const path = { namespace, node: workflow.node.path };
  const { value, error, reload } = useLoad('getWorkflowFlow', path, { since: since.value });
  const reply = value.value;
  const span = <Select label="Span" value={since.value} choices={SPANS} onChange={into(since)} />;
  if (error.value !== undefined) {
    return <ErrorNote title="The metrics cannot be shown" error={error.value} onRetry={reload} />;
  }
  if (reply === undefined) return <Skeleton lines={5} />;
  return (
    <div class="scroll">
      <Section title="Runs" actions={span}>
        <Runs reply={reply} />
      </Section>
      <Section title="States">
        <States reply={reply} />
      </Section>
      <Errors reply={reply} />
    </div>
  );
}
