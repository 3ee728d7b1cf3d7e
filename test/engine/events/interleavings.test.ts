import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isFulfilled } from '../../../lib/domain/runs/waits.ts';
import type { CloudEvent } from '../../../lib/events/cloud-event.ts';
import { matches } from '../../../lib/events/matching.ts';
import { HOUR_MS, MINUTE_MS } from '../../../lib/time/units.ts';
import { cases, SEED } from '../../effort.ts';
import { type Beginning, Chaos, type ObservedWait, prepare, randomOf } from './chaos.ts';

const INTERLEAVINGS = cases(1_500, 4_000);

const SOFT = 'service.cancels.timeout.soft';
const consume = (id: string, next = ''): string =>
  `- id: ${id}\n  type: consumeEvent\n  event: {type: t}\n  timeout: PT1H\n${next}`;
/** Longer than the waits' own timeouts. */
const TIMEOUTS = 'timeouts: {interrupt: P1D, kill: P2D}\n';
const NOOP = 'states:\n- {id: a, type: noop}\n';
const TWO_WAITS = `${TIMEOUTS}states:\n${consume('a', "  transform: 'jq({first: .t})'\n  transition: b\n")}${consume('b')}`;

interface Scenario {
  readonly sources: Readonly<Record<string, string>>;
  readonly lookback: string;
  /** The workflows that a client starts. */
  readonly begun: readonly string[];
  readonly types: readonly string[];
  /** How often the first event is replayed. */
  readonly replays?: number;
  /** The partitions of the namespace at the beginning, and from some time on. */
  readonly partitions?: readonly [before: number, after: number];
  /** A client cancels the runs at some time. */
  readonly mayCancel?: boolean;
  readonly check: (chaos: Chaos, events: readonly CloudEvent[], hasTimeouts: boolean) => string[];
}

const idsOf = ({ listening }: ObservedWait): string[] =>
  listening.received.flatMap((text) => (text === null ? [] : [(JSON.parse(text) as CloudEvent).id]));

/** The broken rules of a wait: it takes events since it was entered, each once for its run. */
function waitProblems(chaos: Chaos, events: readonly CloudEvent[], wait: ObservedWait): string[] {
  const { listening, run: id, number } = wait;
  const run = chaos.runs.get(id);
  const others = [...chaos.waits.values()].filter((other) => other.run === id && other.number !== number);
  const had = new Set(others.flatMap(idsOf));
  const dueOf = (event: string) => chaos.due.get(event) ?? 0;
  const name = `wait ${number} of ${run?.path}`;
  const problems = idsOf(wait).flatMap((event) => [
    ...(had.has(event) ? [`${name} took ${event}, as another wait of its run`] : []),
    ...(dueOf(event) < listening.since ? [`${name} took ${event}, which came before it`] : []),
  ]);
  const isOpen = run?.status === 'pending' && run.wait === number;
  if (isFulfilled(listening)) {
    const isLost = isOpen || (run?.code === SOFT && !others.some((other) => other.number > number));
    return isLost ? [...problems, `${name} has its events and did not go on: ${run?.status} ${run?.code}`] : problems;
  }
  if (!isOpen) return run?.code === SOFT ? problems : [...problems, `${name} went on without its events`];
  const missed = events.filter((event) => {
    const isFree = !had.has(event.id) && !idsOf(wait).includes(event.id) && dueOf(event.id) >= listening.since;
    return (
      isFree && listening.filters.some((filter, slot) => listening.received[slot] === null && matches(filter, event))
    );
  });
  return [...problems, ...missed.map((event) => `${name} did not take ${event.id}`)];
}

function checkWaits(chaos: Chaos, events: readonly CloudEvent[], hasTimeouts: boolean): string[] {
  const problems = [...chaos.waits.values()].flatMap((wait) => waitProblems(chaos, events, wait));
  const failed = [...chaos.runs.values()].filter(({ status }) => status === 'failed' || status === 'crashed');
  const isExpected = ({ code }: { readonly code: string }) => hasTimeouts && code === SOFT;
  return [...problems, ...failed.filter((run) => !isExpected(run)).map(({ code }) => `a run failed with ${code}`)];
}

const CANCELLED = 'service.cancels.api';
/** Delays before, between and after waits: a timer resumes the run while an event comes for it. */
const NAPS = `${TIMEOUTS}states:
- {id: nap1, type: delay, duration: PT1H, transition: a}
${consume('a', "  transform: 'jq({first: .t})'\n  transition: nap2\n")}
- {id: nap2, type: delay, duration: PT2M, transition: b}
${consume('b')}`;

/** Without a cancellation the run comes to its end, after the time of its delays; with one it ends at most once, in any way. */
function checkNaps(chaos: Chaos, events: readonly CloudEvent[]): string[] {
  const all = [...chaos.runs.values()];
  const isCancelled = all.some(({ code }) => code === CANCELLED);
  const ended = all.flatMap(({ status, code, created, updated, path }) => {
    if (code === CANCELLED) return [];
    if (status !== 'complete') return [`${path} did not end: ${status} ${code}`];
    return updated - created >= HOUR_MS + 2 * MINUTE_MS ? [] : [`${path} ended after ${updated - created} ms`];
  });
  const problems = [...chaos.waits.values()].flatMap((wait) => waitProblems(chaos, events, wait));
  return isCancelled ? ended : [...ended, ...problems];
}

/** With a look-back no event is missed: without timeouts both waits get theirs. */
function checkLookBack(chaos: Chaos, events: readonly CloudEvent[], hasTimeouts: boolean): string[] {
  const isUnfinished = !hasTimeouts && [...chaos.runs.values()].some(({ status }) => status !== 'complete');
  return [...checkWaits(chaos, events, hasTimeouts), ...(isUnfinished ? ['an event before a wait was lost'] : [])];
}

function checkStarts(chaos: Chaos, events: readonly CloudEvent[]): string[] {
  const runs = [...chaos.runs.values()];
  return ['/one', '/two'].flatMap((path) =>
    events.flatMap(({ id, type }) => {
      const started = runs.filter((run) => run.path === path && run.data[type]?.id === id);
      const isRight = started.length === 1 && started[0]?.status === 'complete';
      return isRight ? [] : [`${id} started ${path} ${started.length} times: ${started[0]?.status}`];
    }),
  );
}

/** Each event is in one set at most, every set has one event of each type, and the rest makes no further set. */
function checkSets(chaos: Chaos, events: readonly CloudEvent[]): string[] {
  const sets = [...chaos.runs.values()].map(({ data }) => ['a', 'b'].map((type) => data[type]?.id ?? 'none'));
  const used = sets.flat();
  const problems = used.includes('none') ? ['a set is not full'] : [];
  if (new Set(used).size < used.length) problems.push(`an event is in two sets: ${used.join()}`);
  if (sets.length === 0) problems.push('no set became full');
  const most = Math.min(...['a', 'b'].map((type) => events.filter((event) => event.type === type).length));
  if (sets.length > most) problems.push(`${sets.length} sets of ${most}`);
  return problems;
}

/**
 * A wait that is still open has missed nothing: each time that the event was published or replayed since the wait was
 * entered, another wait of its run took it.
 */
function checkReplays(chaos: Chaos, events: readonly CloudEvent[]): string[] {
  const first = events.map(({ id }) => chaos.due.get(id) ?? 0);
  const again = [...chaos.replays.values()];
  const timesSince = (since: number, some: typeof again) =>
    [...first, ...some.map(({ due }) => due)].filter((due) => due >= since).length;
  const late = [...chaos.waits.values()].flatMap(({ listening, run, number }) => {
    const now = chaos.runs.get(run);
    // A replay whose process crashed before it was published does not count.
    const times = timesSince(
      listening.since,
      again.filter(({ routed }) => routed),
    );
    const others = [...chaos.waits.values()].filter((other) => other.run === run && other.number < number).length;
    const isOpen = now?.status === 'pending' && now.wait === number;
    if (isOpen && times > others) return [`wait ${number} of ${now.path} missed one of ${times} times`];
    const isEarly = isFulfilled(listening) && timesSince(listening.since, again) === 0;
    return isEarly ? [`wait ${number} of ${now?.path} took what came before it`] : [];
  });
  const failed = [...chaos.runs.values()].filter(({ status }) => status === 'failed' || status === 'crashed');
  return [...late, ...failed.map(({ code }) => `a run failed with ${code}`)];
}

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'two waits of one run, one after the other': {
    sources: { flow: TWO_WAITS },
    lookback: '',
    begun: ['flow'],
    types: ['t', 't'],
    check: checkWaits,
  },
  'two waits of one run that look back': {
    sources: { flow: TWO_WAITS },
    lookback: 'PT1H',
    begun: ['flow'],
    types: ['t', 't'],
    check: checkLookBack,
  },
  'waits of two runs': {
    sources: { one: `${TIMEOUTS}states:\n${consume('a')}`, two: TWO_WAITS },
    lookback: '',
    begun: ['one', 'two'],
    types: ['t', 't'],
    check: checkWaits,
  },
  'a wait for two events, and one for either of two': {
    sources: {
      all: `${TIMEOUTS}states:\n- id: a\n  type: eventsAnd\n  events: [{type: t}, {type: u}]\n  timeout: PT1H\n`,
      any: `${TIMEOUTS}states:\n- id: a\n  type: eventsXor\n  events: [{event: {type: t}}, {event: {type: u}}]\n  timeout: PT1H\n`,
    },
    lookback: '',
    begun: ['all', 'any'],
    types: ['t', 'u'],
    check: checkWaits,
  },
  'delays before and between two waits': {
    sources: { flow: NAPS },
    lookback: 'P1D',
    begun: ['flow'],
    types: ['t', 't'],
    check: checkNaps,
  },
  'delays before and between two waits of a run that is cancelled': {
    sources: { flow: NAPS },
    lookback: 'P1D',
    begun: ['flow'],
    types: ['t', 't'],
    mayCancel: true,
    check: checkNaps,
  },
  'two workflows that events start': {
    sources: {
      one: `start: {type: event, event: {type: t}}\n${NOOP}`,
      two: `start: {type: eventsXor, events: [{type: t}, {type: t, context: {source: '*'}}]}\n${NOOP}`,
    },
    lookback: '',
    begun: [],
    types: ['t', 't'],
    check: checkStarts,
  },
  'waits of three runs whose listeners are in several partitions, which become more': {
    sources: { one: `${TIMEOUTS}states:\n${consume('a')}`, two: TWO_WAITS, three: TWO_WAITS },
    lookback: '',
    begun: ['one', 'two', 'three'],
    types: ['t', 't'],
    partitions: [2, 16],
    check: checkWaits,
  },
  'waits of two runs, and an event that is replayed': {
    sources: { one: `${TIMEOUTS}states:\n${consume('a')}`, two: TWO_WAITS },
    lookback: '',
    begun: ['one', 'two'],
    types: ['t'],
    replays: 3,
    check: checkReplays,
  },
  'a workflow that two events start together': {
    sources: { flow: `start: {type: eventsAnd, events: [{type: a}, {type: b}]}\n${NOOP}` },
    lookback: '',
    begun: [],
    types: ['a', 'b', 'a', 'b'],
    check: checkSets,
  },
};

const names = Object.keys(SCENARIOS);
const totals = { interleavings: 0, crashes: 0, waits: 0, runs: 0, replays: 0, rings: 0, cancellations: 0 };
const prepared = new Map<string, Beginning>();

beforeAll(async () => {
  // A crash during a log write is logged.
  vi.spyOn(console, 'error').mockImplementation(() => {});
  for (const [name, { sources, lookback, partitions }] of Object.entries(SCENARIOS)) {
    prepared.set(name, await prepare(sources, lookback, partitions?.[0]));
  }
});

afterAll(() => {
  vi.restoreAllMocks();
  const counts = Object.entries(totals).map(([what, count]) => `${count} ${what}`);
  console.log(`seed ${SEED}: ${counts.join(', ')}`);
});

/** The broken rules of one interleaving; its number is the seed of everything in it. */
async function problemsOf(name: string, number: number): Promise<string[]> {
  const scenario = SCENARIOS[name];
  const beginning = prepared.get(name);
  if (scenario === undefined || beginning === undefined) throw new Error(`there is no scenario ${name}`);
  const random = randomOf(SEED + number);
  const chaos = new Chaos(beginning, random);
  const events = scenario.types.map((type, index): CloudEvent => {
    return { specversion: '1.0', id: `e${index}`, source: 's', type };
  });
  const { replays = 0, partitions } = scenario;
  const mayTimeOut = scenario.begun.length > 0 && replays === 0 && scenario.check !== checkNaps;
  const hasTimeouts = mayTimeOut && random() < 0.4;
  // Some events are sent twice.
  const sent = [...events, ...events.filter(() => random() < 0.3)];
  await chaos.run(hasTimeouts, [
    ...scenario.begun.map((path) => () => chaos.begin(path, 'key')),
    ...sent.map((event) => () => chaos.send(event)),
    ...(partitions === undefined ? [] : [() => chaos.grow(partitions[1])]),
    ...(scenario.mayCancel === true ? [() => chaos.cancel()] : []),
    ...Array.from({ length: replays }, () => () => chaos.replay('e0')),
  ]);
  totals.interleavings += 1;
  totals.crashes += chaos.crashes;
  totals.waits += chaos.waits.size;
  totals.runs += chaos.runs.size;
  totals.replays += chaos.replays.size;
  totals.rings += chaos.rings;
  totals.cancellations += [...chaos.runs.values()].filter(({ code }) => code === CANCELLED).length;
  const runs = scenario.begun.filter(
    (path) => [...chaos.runs.values()].filter((run) => run.path === `/${path}`).length !== 1,
  );
  return [
    ...scenario.check(chaos, events, hasTimeouts),
    ...runs.map((path) => `${path} did not run once`),
    ...chaos.faults.map((fault) => `a fault: ${(fault as Error).stack}`),
  ];
}

describe(`${INTERLEAVINGS} random interleavings with crashes and repetitions (seed ${SEED})`, () => {
  test.each(names)(
    'of events and %s: events are delivered by the rules, none is lost, none takes effect twice',
    async (name) => {
      const found: string[] = [];
      for (let number = names.indexOf(name); number < INTERLEAVINGS; number += names.length) {
        const problems = await problemsOf(name, number);
        if (problems.length > 0) found.push(`number ${number}: ${problems.join('; ')}`);
      }
      expect(found.slice(0, 5)).toEqual([]);
    },
  );
});
