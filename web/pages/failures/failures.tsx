import { useMemo } from 'preact/hooks';
import { may } from '../../data/api/session.ts';
import { numeric } from '../../data/format/text.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { place, setQuery } from '../../data/navigation/location.ts';
import { useSample } from '../../data/runs/sample.ts';
import { failuresOf, topLevelOf } from '../../data/runs/statistics.ts';
import { ButtonLink } from '../../parts/button/button.tsx';
import { Segments } from '../../parts/filter/filter.tsx';
import { Head } from '../../parts/head/head.tsx';
import { Empty, ErrorNote, Skeleton } from '../../parts/note/note.tsx';
import { type Column, Table } from '../../parts/table/table.tsx';
import { Time } from '../../parts/value/value.tsx';

type Cause = ReturnType<typeof failuresOf>[number];

const HOUR = 3_600_000;
const SPANS = [
  { value: '1h', label: 'Hour', span: HOUR },
  { value: '24h', label: 'Day', span: 24 * HOUR },
  { value: '7d', label: 'Week', span: 7 * 24 * HOUR },
] as const;

const COLUMNS: readonly Column<Cause>[] = [
  { name: 'Error', width: 'minmax(160px, 1fr)', cell: ({ name }) => <code class="strong">{name}</code> },
  { name: 'Runs', width: '64px', isRight: true, cell: ({ started }) => numeric(started) },
  {
    name: 'Newest message',
    width: 'minmax(200px, 2fr)',
    cell: ({ newest }) => <span class="quiet">{newest.errorMessage}</span>,
  },
  { name: 'Newest run of', width: 'minmax(140px, 1fr)', cell: ({ newest }) => newest.as },
  { name: 'When', width: '104px', cell: ({ newest }) => <Time at={newest.updatedAt} /> },
];

interface CausesProps {
  readonly namespace: string;
  readonly since: string;
  readonly causes: readonly Cause[];
}

/** The causes; each leads to its runs. */
function Causes({ namespace, since, causes }: CausesProps) {
  // No filter of the list asks for the empty code: the newest run without a code is shown instead.
  const listOf = ({ newest: { id, errorCode, status } }: Cause, more: Readonly<Record<string, string>> = {}) =>
    errorCode === ''
      ? addresses.run(namespace, id)
      : addresses.runs(namespace, { error: errorCode, since, status, trigger: 'top', ...more });
  const actions = {
    name: 'What to do',
    width: '120px',
    of: (cause: Cause) => (
      <span class="row-actions">
        <ButtonLink icon="retry" href={listOf(cause, { bulk: 'rerun' })}>
          Run again
        </ButtonLink>
      </span>
    ),
  };
  return (
    <Table
      label="Failures by cause"
      columns={COLUMNS}
      rows={causes}
      keyOf={({ name }) => name}
      hrefOf={(cause) => listOf(cause)}
      actions={may('rerunInstances') ? actions : undefined}
      narrow={({ name, started, newest }) => (
        <>
          <code class="strong cut is-line">
            {numeric(started)} × {name}
          </code>
          <span class="quiet cut is-line">{newest.errorMessage}</span>
        </>
      )}
    />
  );
}

/** The failed runs of a span by their causes, with what to do about each. */
export function FailuresPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { namespace = '' } = params;
  const span = SPANS.find(({ value }) => value === place.value.query.get('span')) ?? SPANS[1];
  const { value, error } = useSample(namespace, span.span);
  const sample = value.value;
  const causes = useMemo(() => (sample === undefined ? undefined : failuresOf(topLevelOf(sample))), [sample]);
  return (
    <div class="page">
      <Head
        title="Failures"
        name={`Failures of ${namespace}`}
        detail={
          <a class="link" href={addresses.events(namespace, { view: 'failed' })}>
            Failed deliveries
          </a>
        }
        actions={
          <Segments label="Span" value={span.value} choices={SPANS} onChange={(one) => setQuery({ span: one })} />
        }
      />
      {error.value && <ErrorNote title="The failures cannot be shown" error={error.value} />}
      {causes === undefined && !error.value && <Skeleton lines={6} />}
      {causes?.length === 0 && (
        <Empty icon="check" title="Nothing failed">
          <p>No run that started in this span failed, crashed, or ran out of time.</p>
        </Empty>
      )}
      {causes !== undefined && causes.length > 0 && <Causes {...{ namespace, causes }} since={span.value} />}
    </div>
  );
}
