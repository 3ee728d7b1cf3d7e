import type { MetricsReply } from '../../../clients/api/operations.ts';
import { useLoad } from '../../data/api/live.ts';
import { numeric } from '../../data/format/text.ts';
import { duration } from '../../data/format/time.ts';
import { ErrorNote, Skeleton } from '../../parts/note/note.tsx';
import { type Column, Table } from '../../parts/table/table.tsx';

interface Row {
  readonly workflow: string;
  readonly invoked: number;
  readonly successful: number;
  readonly failed: number;
  readonly milliseconds: number;
}

type Counter = Exclude<keyof Row, 'workflow'>;

/** The label of a counter that names the workflow; its first word is the brand of the installation. */
const WORKFLOW = /_workflow$/;

function countsIn(reply: MetricsReply | undefined): ReadonlyMap<string, number> {
  const pairs = (reply?.results ?? []).map(({ metric, value: [, text] }) => {
    const name = Object.entries(metric).find(([label]) => WORKFLOW.test(label))?.[1] ?? '';
    return [name, Number(text)] as const;
  });
  return new Map(pairs);
}

function rowsOf(replies: Readonly<Record<Counter, MetricsReply | undefined>>): readonly Row[] {
  const counts = {
    invoked: countsIn(replies.invoked),
    successful: countsIn(replies.successful),
    failed: countsIn(replies.failed),
    milliseconds: countsIn(replies.milliseconds),
  };
  const names = [...new Set(Object.values(counts).flatMap((one) => [...one.keys()]))];
  return names
    .map((workflow) => ({
      workflow,
      invoked: counts.invoked.get(workflow) ?? 0,
      successful: counts.successful.get(workflow) ?? 0,
      failed: counts.failed.get(workflow) ?? 0,
      milliseconds: counts.milliseconds.get(workflow) ?? 0,
    }))
    .toSorted((a, b) => b.invoked - a.invoked);
}

const meanOf = ({ milliseconds, successful, failed }: Row): string => {
  const ended = successful + failed;
  return ended === 0 ? '–' : duration(milliseconds / ended);
};

const COLUMNS: readonly Column<Row>[] = [
  { name: 'Workflow', width: 'minmax(160px, 2fr)', cell: ({ workflow }) => workflow },
  { name: 'Begun', width: '88px', isRight: true, cell: ({ invoked }) => numeric(invoked) },
  { name: 'Succeeded', width: '88px', isRight: true, cell: ({ successful }) => numeric(successful) },
  { name: 'Failed', width: '88px', isRight: true, cell: ({ failed }) => numeric(failed) },
  { name: 'Mean time', width: '104px', isRight: true, cell: meanOf },
];

/** The counters of the service for each workflow, since the beginning. */
export function Totals({ namespace }: { readonly namespace: string }) {
  const loads = {
    invoked: useLoad('getNamespaceInvoked', { namespace }),
    successful: useLoad('getNamespaceSuccessful', { namespace }),
    failed: useLoad('getNamespaceFailed', { namespace }),
    milliseconds: useLoad('getNamespaceMilliseconds', { namespace }),
  };
  const error = Object.values(loads).find((load) => load.error.value !== undefined)?.error.value;
  if (error !== undefined) return <ErrorNote title="The counters cannot be shown" error={error} />;
  if (Object.values(loads).some(({ value }) => value.value === undefined)) return <Skeleton />;
  const rows = rowsOf({
    invoked: loads.invoked.value.value,
    successful: loads.successful.value.value,
    failed: loads.failed.value.value,
    milliseconds: loads.milliseconds.value.value,
  });
  if (rows.length === 0) return <p class="none">Nothing was counted yet.</p>;
  return (
    <Table
      label="Counters"
      isWhole
      columns={COLUMNS}
      rows={rows}
      keyOf={({ workflow }) => workflow}
      narrow={(row) => (
        <span class="two-lines">
          <span class="cut">{row.workflow}</span>
          <span>{numeric(row.invoked)}</span>
          <span class="quiet">{numeric(row.failed)} failed</span>
          <span>{meanOf(row)}</span>
        </span>
      )}
    />
  );
}
