import { cpus, totalmem } from 'node:os';
import { COMPARISONS, type Comparison, LIMITS } from './goals.ts';
import { RUNS_FOR_MEMORY, RUNS_FOR_PAGES, type Times, type Timings } from './times.ts';

/** A number with about three significant digits. */
const number = (value: number): string =>
  value.toLocaleString(
    'en-US',
    value < 100 ? { maximumSignificantDigits: value < 1 ? 2 : 3 } : { maximumFractionDigits: 0 },
  );

const both = (of: (clients: 1 | 8) => string): string => `${of(1)} / ${of(8)}`;

const table = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

function goalOf({ goal }: Comparison): string {
  if (goal === undefined) return '';
  return 'row' in goal
    ? `at most ${goal.factor} times slower than \`${goal.row}\``
    : both((n) => number(ratesOf(goal)[n]));
}

const ratesOf = ([one, eight]: readonly [number, number]): Record<1 | 8, number> => ({ 1: one, 8: eight });

/** A row: rates with their goal, latency, processor time, and the ratios of the rates to their references. */
function rowOf(name: string, timings: Timings, { commit, bare }: Times): string[] {
  const comparison = COMPARISONS[name] ?? {};
  const { original } = comparison;
  const ratioTo = (other: Timings) => both((n) => number(timings[n].perSecond / other[n].perSecond));
  return [
    name,
    goalOf(comparison),
    both((n) => number(timings[n].perSecond)),
    both((n) => number(timings[n].p50)),
    both((n) => number(timings[n].p99)),
    both((n) => number(timings[n].cpu)),
    ratioTo(commit),
    ratioTo(bare),
    original === undefined ? '' : both((n) => number(timings[n].perSecond / ratesOf(original)[n])),
  ];
}

const RATES = [
  'work',
  'goal, requests a second',
  'requests a second',
  'p50, ms',
  'p99, ms',
  'CPU, ms',
  'to a commit',
  'to a bare reply',
  'to the original',
];

function ratesTable(times: Times): string {
  const rows: [string, Timings][] = [
    ['one durable commit', times.commit],
    ['bare `node:http` reply', times.bare],
    ...times.workloads,
  ];
  return table(
    RATES,
    rows.map(([name, timings]) => rowOf(name, timings, times)),
  );
}

function sizesTable({ commit, bare, pages, starts, memory }: Times): string {
  const [aCommit, aReply] = [1000 / commit[1].perSecond, 1000 / bare[1].perSecond];
  const timeRow = (name: string, goal: number, ms: number): string[] => {
    return [name, `${number(goal)} ms`, `${number(ms)} ms`, number(ms / aCommit), number(ms / aReply)];
  };
  const full = `with ${number(RUNS_FOR_PAGES)} runs`;
  return table(
    ['measure', 'goal, at most', 'figure', 'in commits', 'in bare replies'],
    [
      ...Array.from(pages, ([name, ms]) => timeRow(`a page of ${name}`, LIMITS.page, ms)),
      timeRow('start of an empty folder to its first answer', LIMITS.emptyStart, starts.empty),
      timeRow(`the first start ${full} that are not counted yet`, LIMITS.fullStart, starts.first),
      timeRow(`a further start ${full}`, LIMITS.fullStart, starts.further),
      [`memory after ${number(RUNS_FOR_MEMORY)} runs`, `${LIMITS.memory} MiB`, `${number(memory)} MiB`, '', ''],
    ],
  );
}

function machineText(load: number | undefined): string {
  const [processor] = cpus();
  const gib = Math.round(totalmem() / 2 ** 30);
  const model = processor?.model.trim() || 'unknown';
  const date = new Date().toISOString().slice(0, 'yyyy-mm-dd'.length);
  return [
    `Measured on ${date}: ${cpus().length} cores (${model}), ${gib} GiB, ${process.platform} ${process.arch}, Node ${process.versions.node}.`,
    `The load average at the end of the rates was ${number(load ?? Number.NaN)}; the benchmark itself takes up to two cores.`,
  ].join(' ');
}

/** The figures as Markdown, for docs/performance.md; without sizes if they were not measured. */
export function reportOf(times: Times): string {
  const rates = [machineText(times.load), 'Two numbers are the figures at 1 and at 8 clients.', '', ratesTable(times)];
  if (times.pages.size === 0) return rates.join('\n');
  return [...rates, '', `With ${number(RUNS_FOR_PAGES)} runs:`, '', sizesTable(times)].join('\n');
}
