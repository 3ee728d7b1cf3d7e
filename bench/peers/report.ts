import { cpus, totalmem } from 'node:os';
import type { Sample } from './load.ts';
import { type Comparison, type Measured, SYSTEMS } from './measure.ts';
import { CLIENTS, ROW_NAMES, ROWS, type RowName } from './rows.ts';
import type { SystemName } from './systems.ts';

/** A number with about three significant digits. */
const number = (value: number): string =>
  Number.isFinite(value)
    ? value.toLocaleString('en-US', value < 100 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 })
    : '-';

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const table = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

type Quantity = 'figure' | 'cpu';

const samplesOf = (measured: Measured | undefined, row: RowName, clients: number): readonly Sample[] =>
  measured?.rows[row][clients] ?? [];

const medianOf = (measured: Measured | undefined, row: RowName, clients: number, quantity: Quantity): number =>
  median(samplesOf(measured, row, clients).map((sample) => sample[quantity]));

/** The medians at each number of clients, with the failures of all rounds. */
function cellOf(measured: Measured, row: RowName, quantity: Quantity): string {
  return CLIENTS.map((clients) => {
    const failed = samplesOf(measured, row, clients).reduce((sum, sample) => sum + sample.failed, 0);
    const figure = number(medianOf(measured, row, clients, quantity));
    return failed > 0 && quantity === 'figure' ? `${figure} (${number(failed)} failed)` : figure;
  }).join(' / ');
}

/** How many times better Weft is than a peer: of rates Weft's to the peer's, of times the peer's to Weft's. */
export function ratioTo({ systems }: Comparison, peer: SystemName, row: RowName, clients: number): number {
  const [ours, theirs] = [systems.get('weft'), systems.get(peer)].map((one) => medianOf(one, row, clients, 'figure'));
  if (ours === undefined || theirs === undefined) return Number.NaN;
  return ROWS[row].isRate ? ours / theirs : theirs / ours;
}

const peersOf = ({ systems }: Comparison): SystemName[] => [...systems.keys()].filter((name) => name !== 'weft');
const titleOf = (name: SystemName): string => SYSTEMS[name].title;

function figuresTable(comparison: Comparison): string {
  const { systems } = comparison;
  const peers = peersOf(comparison);
  const rows = ROW_NAMES.map((row) => [
    ROWS[row].title,
    ...Array.from(systems.values(), (measured) => cellOf(measured, row, 'figure')),
    ...peers.map((peer) => CLIENTS.map((clients) => number(ratioTo(comparison, peer, row, clients))).join(' / ')),
  ]);
  const memories = Array.from(systems, ([name, { memory }]) => [name, median(memory)] as const);
  const ours = memories[0]?.[1] ?? Number.NaN;
  const memory = [
    'memory at the end, MiB',
    ...memories.map(([, size]) => number(size)),
    ...memories.slice(1).map(([, size]) => number(size / ours)),
  ];
  const columns = [...systems.keys()].map(titleOf);
  const ratios = peers.map((peer) => `Weft better than ${titleOf(peer)}, times`);
  return table(['work', ...columns, ...ratios], [...rows, memory]);
}

function processorTable({ systems }: Comparison): string {
  const rows = ROW_NAMES.map((row) => [
    ROWS[row].title.replace(', p50 in ms', ''),
    ...Array.from(systems.values(), (measured) => cellOf(measured, row, 'cpu')),
  ]);
  return table(['CPU of one run, ms', ...[...systems.keys()].map(titleOf)], rows);
}

function machineText({ rounds, load }: Comparison): string {
  const [processor] = cpus();
  const gib = Math.round(totalmem() / 2 ** 30);
  const model = processor?.model.trim() || 'unknown';
  const date = new Date().toISOString().slice(0, 'yyyy-mm-dd'.length);
  const count = rounds === 1 ? 'one round' : `${rounds} rounds, of which the medians count`;
  const noise =
    load > cpus().length / 4 ? ' **Other programs used the machine: the figures are only a first impression.**' : '';
  return [
    `Measured on ${date}, ${count}: ${cpus().length} cores (${model}), ${gib} GiB, ${process.platform} ${process.arch}.`,
    `The load average before the first round was ${number(load)}.${noise}`,
  ].join(' ');
}

/** The comparison as Markdown, for docs/performance.md. */
export async function reportOf(comparison: Comparison): Promise<string> {
  const names = [...comparison.systems.keys()];
  const described = await Promise.all(
    names.map(async (name) => {
      const { title, versions, durability, steps, license } = SYSTEMS[name];
      return `- **${title}** (${await versions()}). ${durability} ${steps} License: ${license}`;
    }),
  );
  return [
    machineText(comparison),
    `Three numbers are the figures at ${CLIENTS.join(', ').replace(/, (\d+)$/, ' and $1')} clients: runs a second, if the row names no unit.`,
    '',
    figuresTable(comparison),
    '',
    processorTable(comparison),
    '',
    ...described,
  ].join('\n');
}

/** The clients of the README's ratios. */
const CLIENTS_OF_SUMMARY = 8;
const ROWS_OF_SUMMARY: readonly (readonly [row: RowName, work: string])[] = [
  ['one', 'one step'],
  ['committedChain', 'ten steps with a commit each'],
  ['fan', 'a fan-out over 20 children'],
];

/** The sentence of the README: ratios with 8 clients. */
export function summaryOf(comparison: Comparison): string {
  const peers = peersOf(comparison);
  const parts = ROWS_OF_SUMMARY.map(([row, work]) => {
    const ratios = peers.map((peer) => number(ratioTo(comparison, peer, row, CLIENTS_OF_SUMMARY)));
    return `${work} ${ratios.join(' and ')}`;
  });
  return `Locally, with all defaults, on ${cpus().length} cores and with ${CLIENTS_OF_SUMMARY} clients, the rate of Weft is this many times that of ${peers.map(titleOf).join(' and ')}: ${parts.join(', ')} ([all rows](docs/performance.md#compared-with-other-engines)).`;
}
