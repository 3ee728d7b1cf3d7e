import { useMemo } from 'preact/hooks';
import { numeric } from '../../data/format/text.ts';
import { clockText, duration, monthDay } from '../../data/format/time.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { place, setQuery } from '../../data/navigation/location.ts';
import { dollars, MOST_PRICED, type Price, type Prices, priceText, sumOf, usePrices } from '../../data/runs/prices.ts';
import { useSample } from '../../data/runs/sample.ts';
import { bucketsOf, failuresOf, groupsOf, type RunSample, summaryOf } from '../../data/runs/statistics.ts';
import { Columns } from '../../parts/chart/columns.tsx';
import { Lines } from '../../parts/chart/lines.tsx';
import { Figures } from '../../parts/figures/figures.tsx';
import { Segments } from '../../parts/filter/filter.tsx';
import { Head, Section } from '../../parts/head/head.tsx';
import { ErrorNote, Skeleton } from '../../parts/note/note.tsx';
import { type Column, Table } from '../../parts/table/table.tsx';
import { Totals } from './totals.tsx';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Span {
  readonly value: string;
  readonly label: string;
  readonly span: number;
  readonly step: number;
  /** The number of columns per tick. */
  readonly every: number;
}

const SPANS: readonly [Span, ...Span[]] = [
  { value: 'day', label: 'Day by hour', span: DAY, step: HOUR, every: 4 },
  { value: 'week', label: 'Week by 6 hours', span: 7 * DAY, step: 6 * HOUR, every: 4 },
  { value: 'month', label: '30 days by day', span: 30 * DAY, step: DAY, every: 5 },
];

function tickText(at: number, { step }: Span): string {
  const date = new Date(at);
  return step === HOUR ? clockText(date) : monthDay(date);
}

function nameText(at: number): string {
  const date = new Date(at);
  return `${monthDay(date)} ${clockText(date)}`;
}

const timeText = (value: number | undefined): string => (value === undefined ? '–' : duration(value));

type Group = ReturnType<typeof groupsOf>[number];

interface PartProps {
  readonly namespace: string;
  readonly sample: RunSample;
  readonly span: Span;
}

/** The numbers of the sample, extrapolated to all runs of the span. */
const allOf = (sample: RunSample, groups: readonly Group[]) => {
  const factor = sample.runs.length === 0 ? 0 : sample.total / sample.runs.length;
  return groups.map(({ name, started }) => ({ name, started: started * factor }));
};

const priceWords = (price: Price | undefined) =>
  price === undefined ? { value: '–' } : { value: dollars(price.most), detail: `from ${dollars(price.least)}` };

interface SumsProps {
  readonly sample: RunSample;
  readonly groups: readonly Group[];
  readonly prices: Prices | undefined;
}

function Sums({ sample, groups, prices }: SumsProps) {
  const { started, complete, failed, open, p50, p95 } = summaryOf(sample.runs);
  const figures = [
    { label: 'Started', value: numeric(sample.total) },
    { label: 'Complete', value: numeric(complete) },
    { label: 'Failed', value: numeric(failed), mood: failed > 0 ? ('failed' as const) : undefined },
    { label: 'In progress', value: numeric(open) },
    { label: 'Half end within', value: timeText(p50), detail: 'p50' },
    { label: '95 of 100 within', value: timeText(p95), detail: 'p95' },
    { label: 'AWS price up to', ...priceWords(prices && sumOf(prices, allOf(sample, groups))) },
  ];
  return (
    <>
      <Figures label="Sums" figures={figures} />
      {started < sample.total && <p class="none">Times and causes are those of the newest {numeric(started)} runs.</p>}
    </>
  );
}

function Over({ namespace, sample, span }: PartProps) {
  const buckets = useMemo(() => bucketsOf(sample, span.step), [sample, span]);
  const times = useMemo(() => buckets.map(({ from }) => from / 1000), [buckets]);
  const lines = useMemo(
    () => [
      { name: 'p50', colour: '--ink', values: buckets.map(({ p50 }) => p50) },
      { name: 'p95', colour: '--running', isDashed: true, values: buckets.map(({ p95 }) => p95) },
    ],
    [buckets],
  );
  return (
    <>
      <Section title="Runs">
        <Columns
          label="Runs over time"
          buckets={buckets}
          tickOf={({ from }, index) => (index % span.every === 0 ? tickText(from, span) : '')}
          nameOf={({ from, started, failed }) => `${nameText(from)}: ${started} started, ${failed} failed`}
          hrefOf={({ from, to }) =>
            addresses.runs(namespace, { since: new Date(from).toISOString(), until: new Date(to).toISOString() })
          }
        />
      </Section>
      <Section title="Durations">
        <Lines label="Durations of runs over time" times={times} lines={lines} formatValue={duration} />
      </Section>
    </>
  );
}

/** The price of a million runs, as `weft cost` prints it. */
function millionText(prices: Prices | undefined, workflow: string): string {
  const price = prices?.ofRun(workflow);
  return price === undefined ? '–' : priceText({ least: price.least * 1e6, most: price.most * 1e6 });
}

const columnsFor = (prices: Prices | undefined): readonly Column<Group>[] => [
  { name: 'Workflow', width: 'minmax(160px, 2fr)', cell: ({ name }) => <span class="strong">{name}</span> },
  { name: 'Started', width: '80px', isRight: true, cell: ({ started }) => numeric(started) },
  {
    name: 'Failed',
    width: '80px',
    isRight: true,
    cell: ({ failed }) => <span class={failed > 0 ? 'is-failed' : 'quiet'}>{numeric(failed)}</span>,
  },
  { name: 'In progress', width: '80px', isRight: true, cell: ({ open }) => numeric(open) },
  { name: 'p50', width: '96px', isRight: true, cell: ({ p50 }) => timeText(p50) },
  { name: 'p95', width: '96px', isRight: true, cell: ({ p95 }) => timeText(p95) },
  {
    name: 'A million runs',
    width: '144px',
    isRight: true,
    cell: ({ name }) => <span class="quiet">{millionText(prices, name)}</span>,
  },
];

function ByWorkflow({ namespace, groups, prices }: Omit<SumsProps, 'sample'> & { readonly namespace: string }) {
  if (groups.length === 0) return <p class="none">No run in this span.</p>;
  return (
    <Table
      label="Workflows"
      isWhole
      columns={columnsFor(prices)}
      rows={groups}
      keyOf={({ name }) => name}
      hrefOf={({ name }) => addresses.tree(namespace, name, { tab: 'metrics' })}
      narrow={({ name, started, failed, p50 }) => (
        <span class="two-lines">
          <span class="strong cut">{name}</span>
          <span>{numeric(started)}</span>
          <span class={failed > 0 ? 'is-failed' : 'quiet'}>{numeric(failed)} failed</span>
          <span>{timeText(p50)}</span>
        </span>
      )}
    />
  );
}

function Causes({ namespace, sample }: Omit<PartProps, 'span'>) {
  const failures = useMemo(() => failuresOf(sample), [sample]);
  if (failures.length === 0) return <p class="none">Nothing failed.</p>;
  return (
    <ul class="short-list">
      {failures.map(({ name, started, newest }) => (
        <li key={name}>
          <a class="short-row" href={addresses.run(namespace, newest.id)}>
            <span class="short-count">{numeric(started)}</span>
            <code class="cut">{name}</code>
            <span class="quiet cut grows">{newest.errorMessage}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function PriceNote({ prices: { region, pricedOn }, isPart }: { readonly prices: Prices; readonly isPart: boolean }) {
  return (
    <p class="none">
      Prices are those of AWS’s list for {region} of {pricedOn}, without the free tier: from the cheapest to the most
      expensive path, data below 1 KB, ten items of each foreach, without the duration of Lambda
      {isPart && `; those of the ${MOST_PRICED} workflows with the most runs`}. <code>weft cost FILE</code> lists what
      is used.
    </p>
  );
}

/** Figures of the runs of the span. */
function OfSample({ namespace, sample, span }: PartProps) {
  const groups = useMemo(() => groupsOf(sample.runs, ({ as }) => as), [sample]);
  const names = groups.map(({ name }) => name);
  const prices = usePrices(namespace, names);
  return (
    <>
      <Sums sample={sample} groups={groups} prices={prices} />
      <Over namespace={namespace} sample={sample} span={span} />
      <Section title="By workflow">
        <ByWorkflow namespace={namespace} groups={groups} prices={prices} />
        {prices !== undefined && <PriceNote prices={prices} isPart={names.length > MOST_PRICED} />}
      </Section>
      <Section title="By cause of failure">
        <Causes namespace={namespace} sample={sample} />
      </Section>
    </>
  );
}

/** Numbers, durations and failures of runs: by hour and day, by workflow, by cause. */
export function MetricsPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { namespace = '' } = params;
  const span = SPANS.find(({ value }) => value === place.value.query.get('span')) ?? SPANS[0];
  const { value: sample, error } = useSample(namespace, span.span, span.step);
  return (
    <div class="scroll">
      <Head
        title="Metrics"
        name={`Metrics of ${namespace}`}
        actions={
          <Segments label="Span" value={span.value} choices={SPANS} onChange={(value) => setQuery({ span: value })} />
        }
      />
      {error.value && <ErrorNote title="The metrics cannot be shown" error={error.value} />}
      {sample.value === undefined && !error.value && <Skeleton lines={8} />}
      {sample.value !== undefined && <OfSample namespace={namespace} sample={sample.value} span={span} />}
      <Section title="Since the beginning" detail="counters of the service">
        <Totals namespace={namespace} />
      </Section>
    </div>
  );
}
