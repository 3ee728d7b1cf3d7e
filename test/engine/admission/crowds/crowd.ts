import type { LocalTable } from '../../../../lib/adapters/local/table/table.ts';
import { execute } from '../../../../lib/engine/requests/start/start.ts';
import { json, ProgrammedWeb } from '../../../contract/programmed-web.ts';
import { type Random, randomFrom } from '../../../durability/random.ts';
import { type Crash, CrashedError } from '../../world/crashing-ports.ts';
import { World } from '../../world/engine-world.ts';
import { rowsOf, shown } from '../admission-world.ts';
import { type Limits, Watcher } from './watcher.ts';

/** The limit of all crowds, and the number of keys over which their starts are spread. */
export const LIMIT = 3;
export const KEYS = 20;
const PER_MS = 10_000;
const KILLS = 3;
/** The durable operations of all starts are more than so many a start. */
const OPERATIONS = 2;
/** How long a process is away, and how late its first timer may be, milliseconds. */
const AWAY_MS = 2_000;

/** Starts at once under limits. */
export interface Crowd {
  readonly name: string;
  readonly source: string;
  readonly subject: 'runs' | 'calls';
  readonly limits: Limits;
}

const CONCURRENCY = `concurrency: {limit: ${LIMIT}, key: jq(.k)}`;
const RATE = `rate: {limit: ${LIMIT}, per: PT${PER_MS / 1000}S, key: jq(.k)}`;
const [ATWORK, BEGIN] = [{ atWork: LIMIT }, { begin: { limit: LIMIT, perMs: PER_MS } }];

/** A jam of places at first: the first runs of a key take long, and those that they keep waiting are quick. */
const SLOW = KEYS * LIMIT * 2;
const SLOW_MS = 45_000;
const QUICK_MS = 500;

const runsUnder = (fields: string): string => `${fields}
states:
- {id: choose, type: switch, conditions: [{condition: jq(.n < ${SLOW}), transition: slow}], defaultTransition: quick}
- {id: slow, type: delay, duration: PT${SLOW_MS / 1000}S}
- {id: quick, type: delay, duration: PT1S}
`;
const callsUnder = (fields: string): string =>
  `functions: [{id: bank, type: http, url: 'https://bank.test/jq(.k)/jq(.n)', timeout: PT2M, ${fields}}]
states: [{id: go, type: action, timeout: PT3H, action: {function: bank}}]
timeouts: {interrupt: PT4H, kill: PT5H}
`;

/** The crowds whose limits are tried. */
export const CROWDS: readonly Crowd[] = [
  { name: 'concurrency of a workflow', source: runsUnder(CONCURRENCY), subject: 'runs', limits: ATWORK },
  { name: 'rate of a workflow', source: runsUnder(RATE), subject: 'runs', limits: BEGIN },
  {
    name: 'concurrency and rate of a workflow',
    source: runsUnder(`${CONCURRENCY}\n${RATE}`),
    subject: 'runs',
    limits: { ...ATWORK, ...BEGIN },
  },
  { name: 'concurrency of a function', source: callsUnder(CONCURRENCY), subject: 'calls', limits: ATWORK },
  { name: 'rate of a function', source: callsUnder(RATE), subject: 'calls', limits: BEGIN },
  {
    name: 'concurrency and rate of a function',
    source: callsUnder(`${CONCURRENCY}, ${RATE}`),
    subject: 'calls',
    limits: { ...ATWORK, ...BEGIN },
  },
];

/** What one crowd did. `wrong`: a sentence for each promise that was broken. */
export interface CrowdResult {
  readonly kills: number;
  readonly most: number;
  readonly wrong: readonly string[];
}

const crashOf = (random: Random, starts: number): Crash => ({
  at: random.between(1, OPERATIONS * starts),
  when: random.fraction() < 0.5 ? 'before' : 'after',
});

/** A server whose calls take time, and say when they begin and end. */
function serverOf(watcher: Watcher, { atWork }: Limits, timeOf: () => World['time']): ProgrammedWeb {
  // Without places, long calls would fill the process, and others would begin late.
  const slow = atWork === undefined ? 0 : SLOW;
  return new ProgrammedWeb(async ({ url, headers }) => {
    const [, key = '', n] = url.pathname.split('/');
    const id = headers['idempotency-key'] ?? '';
    watcher.begin(key, id);
    await new Promise<void>((resolve) => timeOf().alarm(Number(n) < slow ? SLOW_MS : QUICK_MS, resolve));
    watcher.end(key, id);
    return json({});
  });
}

/** Requests all starts at once that have no reply yet, and lets all runs end, unless the process crashes. */
async function startAll(world: World, starts: number, replied: Set<number>): Promise<void> {
  const requests = Array.from({ length: starts }, async (_, n) => {
    if (replied.has(n)) return;
    const input = Buffer.from(JSON.stringify({ n, k: `k${n % KEYS}` }));
    const invocation = { namespace: world.namespace, path: '/main', ref: '', input, key: `key-${n}` };
    await world.process.work(() => execute(world.ports, invocation));
    replied.add(n);
  });
  await Promise.allSettled(requests);
  await world.pass();
}

/** Starts the process again after each crash, until it lets all runs end. Returns the number of crashes. */
async function outlive(world: World, watcher: Watcher, go: () => Promise<void>, next: () => Crash): Promise<number> {
  let kills = 0;
  await go();
  while (world.process.hasCrashed) {
    kills += 1;
    watcher.lateMs += AWAY_MS;
    await world.restart(kills < KILLS ? next() : undefined).catch((error: unknown) => {
      if (!(error instanceof CrashedError)) throw error;
    });
    if (!world.process.hasCrashed) await go();
  }
  return kills;
}

/** Starts as many runs at once, in a process that crashes at random durable operations. */
export async function tryCrowd(
  database: LocalTable,
  { source, subject, limits }: Crowd,
  { starts, seed }: { readonly starts: number; readonly seed: number },
): Promise<CrowdResult> {
  const random = randomFrom(seed);
  const watcher = new Watcher(subject, limits, () => world.time.clock.now());
  const web = serverOf(watcher, limits, () => world.time);
  const world: World = new World(watcher.watch(database), { web });
  try {
    await world.store({ main: source });
    const replied = new Set<number>();
    world.process.crashAt(crashOf(random, starts));
    const go = () => startAll(world, starts, replied);
    const kills = await outlive(world, watcher, go, () => crashOf(random, starts));
    const ends = await shown(world);
    const open = ends.filter((text) => !text.endsWith(' complete'));
    const counts = { replies: replied.size, runs: ends.length, begun: watcher.begun };
    return {
      kills,
      most: watcher.most,
      wrong: [
        ...watcher.wrong,
        ...watcher.tooSoon(),
        ...watcher.outOfTurn(),
        ...(limits.begin !== undefined && watcher.held === 0 ? ['nothing was held back'] : []),
        ...open.map((text) => `not complete: ${text}`),
        ...(await rowsOf(world)).map((row) => `left: ${row}`),
        ...Object.entries(counts).flatMap(([name, count]) => (count === starts ? [] : [`${count} ${name}`])),
      ],
    };
  } finally {
    await world.close();
  }
}
