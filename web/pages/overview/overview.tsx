import { useMemo } from 'preact/hooks';
import { filterQuery } from '../../data/api/client.ts';
import { useLive, useLoad } from '../../data/api/live.ts';
import { now } from '../../data/browser/clock.ts';
import { useDerived } from '../../data/browser/derived.ts';
import { numeric } from '../../data/format/text.ts';
import { clockText, instantOf } from '../../data/format/time.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { place, setQuery } from '../../data/navigation/location.ts';
import { useSample } from '../../data/runs/sample.ts';
import { bucketsOf, failuresOf, type RunSample, summaryOf, topLevelOf } from '../../data/runs/statistics.ts';
import { Columns } from '../../parts/chart/columns.tsx';
import { type Figure, Figures } from '../../parts/figures/figures.tsx';
import { Segments } from '../../parts/filter/filter.tsx';
import { Head, Section } from '../../parts/head/head.tsx';
import { ErrorNote, Skeleton } from '../../parts/note/note.tsx';
import { RunList } from '../../parts/runs/list.tsx';
import { Time } from '../../parts/value/value.tsx';
import { FirstUse } from './first-use.tsx';
import { WaitingList } from './waiting.tsx';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const RECENT = 8;

const hourText = (at: number): string => clockText(new Date(at));

/** Which runs the page counts: those that no other run called, or all. A failure counts once, not again for each caller. */
interface Extent {
  readonly trigger: 'top' | '';
}

const EXTENTS = [
  { value: 'top', label: 'Top level' },
  { value: 'all', label: 'All runs' },
];

/** The number of runs in progress. */
function useOpenRuns(namespace: string, { trigger }: Extent): number | undefined {
  const pending = filterQuery([
    { field: 'STATUS', type: 'MATCH', val: 'pending' },
    { field: 'TRIGGER', type: 'MATCH', val: trigger },
  ]);
  const { value } = useLive('listInstances', { namespace }, { ...pending, limit: 1 });
  return value.value?.instances.pageInfo.total;
}

interface LastHourProps {
  readonly namespace: string;
  readonly sample: RunSample;
  readonly extent: Extent;
}

function LastHour({ namespace, sample, extent }: LastHourProps) {
  const open = useOpenRuns(namespace, extent);
  const deliveries = useLoad('listFailedDeliveries', { namespace }, { limit: 1 }).value.value?.pageInfo.total ?? 0;
  const since = useDerived(() => Math.floor((now.value - HOUR) / 60_000) * 60_000, []).value;
  const recent = sample.runs.filter(({ createdAt }) => instantOf(createdAt) >= since);
  const { started, failed } = summaryOf(recent);
  const figures: Figure[] = [
    {
      label: 'Started, last hour',
      value: numeric(started),
      href: addresses.runs(namespace, { since: '1h', ...extent }),
    },
    {
      label: 'Failed, last hour',
      value: numeric(failed),
      href: addresses.runs(namespace, { since: '1h', status: 'failed', ...extent }),
      mood: failed > 0 ? 'failed' : undefined,
    },
    {
      label: 'In progress',
      value: open === undefined ? '…' : numeric(open),
      href: addresses.runs(namespace, { status: 'pending', ...extent }),
    },
    {
      label: 'Failed deliveries',
      value: numeric(deliveries),
      href: addresses.events(namespace, { view: 'failed' }),
      mood: deliveries > 0 ? 'failed' : undefined,
    },
  ];
  return <Figures label="Last hour" figures={figures} />;
}

function Day({ namespace, sample, extent }: LastHourProps) {
  const buckets = useMemo(() => bucketsOf(sample, HOUR), [sample]);
  const { started, failed } = summaryOf(sample.runs);
  const words = `${numeric(sample.total)} runs, ${numeric(failed)} failed`;
  return (
    <Section title="Last day" detail={started < sample.total ? `${words} of the newest ${started}` : words}>
      <Columns
        label="Runs of the last day by hour"
        buckets={buckets}
        tickOf={({ from }, index) => (index % 4 === 0 ? hourText(from) : '')}
        nameOf={({ from, started: all, failed: bad }) => `${hourText(from)}: ${all} started, ${bad} failed`}
        hrefOf={({ from, to }) =>
          addresses.runs(namespace, {
            since: new Date(from).toISOString(),
            until: new Date(to).toISOString(),
            ...extent,
          })
        }
      />
    </Section>
  );
}

function Failures({ namespace, sample }: Omit<LastHourProps, 'extent'>) {
  const failures = useMemo(() => failuresOf(sample), [sample]);
  return (
    <Section title="Failures by cause" detail="last day">
      {failures.length === 0 ? (
        <p class="none">Nothing failed.</p>
      ) : (
        <ul class="short-list">
          {failures.slice(0, RECENT).map(({ name, started, newest }) => (
            <li key={name}>
              <a class="short-row" href={addresses.run(namespace, newest.id)} title={newest.errorMessage}>
                <span class="short-count">{numeric(started)}</span>
                <code class="cut">{name}</code>
                <span class="quiet cut grows">{newest.as}</span>
                <span class="quiet">
                  <Time at={newest.updatedAt} />
                </span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Content({ namespace, sample: whole, extent }: LastHourProps) {
  const sample = useMemo(() => (extent.trigger === 'top' ? topLevelOf(whole) : whole), [whole, extent.trigger]);
  const filters = [{ field: 'TRIGGER', type: 'MATCH', val: extent.trigger }] as const;
  return (
    <>
      <LastHour {...{ namespace, sample, extent }} />
      <Day {...{ namespace, sample, extent }} />
      <div class="halves">
        <Failures namespace={namespace} sample={sample} />
        <WaitingList namespace={namespace} />
      </div>
      <Section title="Newest runs">
        <RunList namespace={namespace} label="Newest runs" filters={filters} limit={RECENT} none="No runs yet." />
      </Section>
    </>
  );
}

/** The state of a namespace: the last hour and day, failures with their causes, and the runs that wait. */
export function OverviewPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { namespace = '' } = params;
  const { value: sample, error } = useSample(namespace, DAY);
  const root = useLive('getNode', { namespace, node: '' }).value.value;
  const isEmpty = root !== undefined && 'children' in root && root.children.results.length === 0;
  const isFirstUse = isEmpty && sample.value?.total === 0;
  const shown = place.value.query.get('runs') === 'all' ? 'all' : 'top';
  return (
    <div class="scroll" key={namespace}>
      <Head
        title={namespace}
        name={namespace}
        actions={
          !isFirstUse && (
            <Segments
              label="Counted runs"
              value={shown}
              choices={EXTENTS}
              onChange={(value) => setQuery({ runs: value === 'all' ? 'all' : undefined })}
            />
          )
        }
      />
      {error.value && <ErrorNote title="The overview cannot be shown" error={error.value} />}
      {sample.value === undefined && !error.value && <Skeleton lines={6} />}
      {isFirstUse && <FirstUse namespace={namespace} />}
      {sample.value !== undefined && !isFirstUse && (
        <Content namespace={namespace} sample={sample.value} extent={{ trigger: shown === 'top' ? 'top' : '' }} />
      )}
    </div>
  );
}
