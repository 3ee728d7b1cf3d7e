import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { LocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as events from '../../../lib/domain/events/events.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { openSchedules } from '../../../lib/domain/tree/arming.ts';
import * as revisions from '../../../lib/domain/tree/revisions.ts';
import * as workflows from '../../../lib/domain/tree/workflows.ts';
import { ProgrammedLambdas } from '../../contract/programmed-lambdas.ts';
import { ProgrammedWeb } from '../../contract/programmed-web.ts';
import type { Random } from '../../durability/random.ts';
import { type Crash, CrashedError } from '../world/crashing-ports.ts';
import { World } from '../world/engine-world.ts';
import { runsOf, snapshotOf, unfinishedOf } from '../world/snapshot.ts';
import type { Workload } from './workloads.ts';

/** A request without a reply after this time never gets one, milliseconds. */
const PATIENCE_MS = 5000;

/** Lets time pass until the request has its reply or the process crashes, and no work is left. */
async function finish(world: World, acting: Promise<unknown>): Promise<readonly string[]> {
  let isReplied = false;
  const note = () => {
    isReplied = true;
  };
  acting.then(note, note);
  const end = Date.now() + PATIENCE_MS;
  do {
    // Events arrive before the time of what waits for them is over.
    await world.pass(world.time.clock.now());
    await world.deliver().catch(ignoreCrash);
    await world.pass();
    await world.deliver().catch(ignoreCrash);
    if (!isReplied && !world.process.hasCrashed) await delay(1);
  } while (!isReplied && !world.process.hasCrashed && Date.now() < end);
  await world.pass();
  return isReplied || world.process.hasCrashed ? [] : ['the request has no reply'];
}

function ignoreCrash(error: unknown): void {
  if (!(error instanceof CrashedError)) throw error;
}

/** The schedule that the tables promise for the workflow, and the one that is armed. */
async function scheduleOf(world: World): Promise<readonly (string | undefined)[]> {
  const opened = await workflows.open(world.reliable, world.namespace, '/main').catch(() => undefined);
  if (opened === undefined) return [];
  const { start } = revisions.planOf(opened.revision);
  const promised = opened.node.live && start.type === 'scheduled' ? start.cron : undefined;
  return [promised, world.schedules.get(opened.node.id)?.cron];
}

/** The work that is promised and not done, a line each. */
async function openOf(world: World): Promise<readonly string[]> {
  const found = await runsOf(world);
  const ids = new Set(found.map(({ id }) => `instance:${id}`));
  const pending = found.filter(({ status }) => status === 'pending').map(({ path }) => `the run of ${path} is pending`);
  const orphans = found
    .filter(({ depth, invoker }) => depth > 0 && !ids.has(invoker))
    .map(({ id }) => `${id} has no caller`);
  const [promised, armed] = await scheduleOf(world);
  const schedules = promised === armed ? [] : [`${promised} is promised and ${armed} armed`];
  const namespace = await namespaces.need(world.reliable, world.namespace);
  const event = await events.need(world.reliable, namespace.id, 'e1').catch(() => undefined);
  const unrouted = event === undefined || event.isRouted ? [] : ['the event is not routed'];
  const markers = (await openSchedules(world.reliable)).map(({ path }) => `the schedule of ${path} is marked`);
  return [...pending, ...orphans, ...schedules, ...unrouted, ...markers, ...unfinishedOf(world)];
}

/** The stored state after a workload, and the work that was still open. */
interface Left {
  readonly snapshot: unknown;
  readonly open: readonly string[];
  readonly operations: number;
}

/**
 * The calls that the servers and the functions got: each once, however often it was repeated. A repetition has the same
 * idempotency key, and the same body.
 */
function callsOf({ web, lambdas }: World): readonly string[] {
  const calls = new Map<string, Set<string>>();
  const note = (name: string, key: string | undefined, body: Uint8Array): void => {
    const call = `${name} ${key}`;
    calls.set(call, (calls.get(call) ?? new Set()).add(Buffer.from(body).toString()));
  };
  for (const { method, url, body = new Uint8Array(), headers } of web instanceof ProgrammedWeb ? web.requests : []) {
    note(`${method} ${url.href}`, headers['idempotency-key'], body);
  }
  // A mail is sent again with the same id and the same content.
  for (const { server, mails } of web instanceof ProgrammedWeb ? web.deliveries : []) {
    for (const { id, ...mail } of mails)
      note(`mail to ${mail.to} by ${server.host}`, id, Buffer.from(JSON.stringify(mail)));
  }
  const invocations = lambdas instanceof ProgrammedLambdas ? lambdas.invocations : [];
  for (const { function: name, context, payload } of invocations) note(name, context['idempotencyKey'], payload);
  return [...calls].map(([key, bodies]) => `${key.replace(/ [^ ]+$/, '')}: ${bodies.size} body`).sort();
}

/** The servers of the workloads number their answers; a repeated call gets another number, which the record holds. */
const withoutNumbers = (runs: readonly string[]): readonly string[] =>
  runs.map((run) => run.replace(/"body":\{"n":\d+\}/g, '"body":{}'));

async function stateOf(world: World): Promise<unknown> {
  const { runs, ...others } = await snapshotOf(world, true);
  const schedule = (await scheduleOf(world)).at(-1);
  return { ...others, runs: withoutNumbers(runs), schedule, calls: callsOf(world) };
}

/** Starts again, and once more if the process crashes while it does so or while it continues the work. Returns what is open then. */
async function recover(world: World, { isTimely = false }: Workload, second: Crash | undefined): Promise<string[]> {
  const goOn = async () => (isTimely ? [] : finish(world, Promise.resolve()));
  await world.restart(second).catch(ignoreCrash);
  if (!world.process.hasCrashed) await goOn();
  if (world.process.hasCrashed) await world.restart();
  return isTimely ? [] : [...(await goOn()), ...(await openOf(world))];
}

/** Does a workload; after a crash, starts again and repeats it. `second`: it crashes again while it recovers. */
async function runWorkload(database: LocalTable, workload: Workload, crash?: Crash, second?: Crash): Promise<Left> {
  const { sources, before, act: doAct, takesTime = false, reply, accept, answer, waits } = workload;
  const web = new ProgrammedWeb(reply?.());
  if (accept !== undefined) web.accept = accept;
  const world = new World(database, {
    countsJournal: true,
    waits,
    web,
    lambdas: new ProgrammedLambdas(answer?.()),
  });
  const act = () => (takesTime ? doAct(world) : world.process.work(() => doAct(world)));
  const open: string[] = [];
  try {
    await world.store(sources);
    await before?.(world);
    const begun = world.process.operations;
    world.process.crashAt(crash);
    open.push(...(await finish(world, act())));
    const operations = world.process.operations - begun;
    // The second crash may come only when the request is repeated.
    for (let next = second; world.process.hasCrashed; next = undefined) {
      open.push(...(await recover(world, workload, next)));
      open.push(...(await finish(world, act())));
    }
    open.push(...(await openOf(world)));
    return { snapshot: await stateOf(world), open, operations };
  } finally {
    await world.close();
  }
}

/** Which crash points are tried: some, each, or also those before operations. */
export type Points = 'some' | 'each' | 'both sides';

/** Of some points, each of this number is tried. */
const SOME = 4;

/** On both sides, a crash before each operation of this number is tried. */
const STRIDE = 3;

/** Of a workload with more operations, a crash after every second one is tried. */
const MANY_OPERATIONS = 20;

/**
 * A crash before the first operation and after others. One before another operation leaves the same state as the crash after
 * the operation before it, unless the two overlap.
 */
function* crashesOf({ isNowOrNever = false }: Workload, operations: number, points: Points): Generator<Crash> {
  const stride = points === 'some' ? SOME : operations <= MANY_OPERATIONS ? 1 : 2;
  for (let at = 1; at <= operations; at += 1) {
    if (at === 1 ? !isNowOrNever : points === 'both sides' && at % STRIDE === 0) yield { at, when: 'before' };
    if (at % stride === operations % stride) yield { at, when: 'after' };
  }
}

/** A failure at a crash point; `found` and `expected` are the states stored in the end. */
export interface WrongPoint {
  /** Undefined: the failure came without a crash. */
  readonly crash: Crash | undefined;
  /** The crash during the recovery from the first one. */
  readonly second?: Crash;
  readonly open: readonly string[];
  readonly found: unknown;
  readonly expected: unknown;
}

export interface Enumerated {
  readonly points: number;
  readonly wrong: readonly WrongPoint[];
}

/**
 * Tries crash points of a workload: the process crashes there, starts again, and the user repeats the request.
 * Then no work may be open, and the stored state must be the same as without a crash.
 */
export async function tryCrashPoints(database: LocalTable, workload: Workload, tried: Points): Promise<Enumerated> {
  const { snapshot: expected, open, operations } = await runWorkload(database, workload);
  const wrong: WrongPoint[] = open.length > 0 ? [{ crash: undefined, open, found: expected, expected }] : [];
  let points = 0;
  for (const crash of crashesOf(workload, operations, tried)) {
    const left = await runWorkload(database, workload, crash);
    points += 1;
    if (left.open.length > 0 || !isDeepStrictEqual(left.snapshot, expected))
      wrong.push({ crash, open: left.open, found: left.snapshot, expected });
  }
  return { points, wrong };
}

/** The most operations of a recovery after which a second crash is tried. */
const MAX_SECOND = 12;

/** Tries random pairs of crash points: one of the workload, and one of the recovery from it. */
export async function tryPairs(
  database: LocalTable,
  workload: Workload,
  count: number,
  random: Random,
): Promise<Enumerated> {
  const { snapshot: expected, operations } = await runWorkload(database, workload);
  const firsts = [...crashesOf(workload, operations, 'both sides')];
  const wrong: WrongPoint[] = [];
  for (let tried = 0; tried < count; tried += 1) {
    const crash = firsts[random.between(0, firsts.length - 1)] as Crash;
    const when = random.fraction() < 0.5 ? ('before' as const) : ('after' as const);
    const second: Crash = { at: random.between(1, MAX_SECOND), when };
    const left = await runWorkload(database, workload, crash, second);
    if (left.open.length > 0 || !isDeepStrictEqual(left.snapshot, expected))
      wrong.push({ crash, second, open: left.open, found: left.snapshot, expected });
  }
  return { points: count, wrong };
}
