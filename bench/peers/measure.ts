import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DBOS } from './dbos.ts';
import type { Sample } from './load.ts';
import { memoryOf } from './processes.ts';
import { RESTATE } from './restate.ts';
import { CLIENTS, ROW_NAMES, ROWS, type RowName } from './rows.ts';
import type { Peer, System, SystemName } from './systems.ts';
import { WEFT } from './weft.ts';

export const SYSTEMS: Readonly<Record<SystemName, System>> = { weft: WEFT, dbos: DBOS, restate: RESTATE };

/** The number of rounds; each measures every system, one after the other, with empty data. */
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);

/** The samples of a system, one a round. */
export interface Measured {
  /** The samples of a row, by the number of clients. */
  readonly rows: Record<RowName, Record<number, Sample[]>>;
  /** MiB after the last row. */
  readonly memory: number[];
}

export interface Comparison {
  readonly systems: ReadonlyMap<SystemName, Measured>;
  readonly rounds: number;
  /** The load average of the machine before the first round. */
  readonly load: number;
}

const emptyRows = () =>
  Object.fromEntries(
    ROW_NAMES.map((name) => [name, Object.fromEntries(CLIENTS.map((n) => [n, [] as Sample[]]))]),
  ) as Measured['rows'];

async function measureRound(name: SystemName, { rows, memory }: Measured): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), `weft-bench-${name}-`));
  try {
    const running = await SYSTEMS[name].start(folder);
    try {
      for (const row of ROW_NAMES) {
        for (const clients of CLIENTS) {
          const sample = await ROWS[row].load(running, clients);
          rows[row][clients]?.push(sample);
          const failures = sample.failed === 0 ? '' : `, ${sample.failed} failed`;
          console.error(`${name}, ${ROWS[row].title}, ${clients} clients: ${sample.figure.toFixed(1)}${failures}`);
        }
      }
      memory.push(memoryOf(running.pids));
    } finally {
      await running.end();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Measures Weft and the peers in turn. Only one system runs at a time. */
export async function comparePeers(peers: readonly Peer[]): Promise<Comparison> {
  const load = loadavg()[0] ?? Number.NaN;
  const systems = new Map<SystemName, Measured>(
    ['weft' as const, ...peers].map((name) => [name, { rows: emptyRows(), memory: [] }]),
  );
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, measured] of systems) await measureRound(name, measured);
  }
  return { systems, rounds: ROUNDS, load };
}
