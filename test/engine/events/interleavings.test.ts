import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isHeard } from '../../../lib/domain/runs/waits.ts';
import type { CloudEvent } from '../../../lib/events/cloud-event.ts';
import { matches } from '../../../lib/events/matching.ts';
import { cases } from '../../effort.ts';
import { type Beginning, Chaos, prepare, randomOf, type Wait } from './chaos.ts';

const INTERLEAVINGS = cases(3_000, 10_000);
const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

const SOFT = 'service.cancels.timeout.soft';
const consume = (id: string, next = ''): string =>
  `- id: ${id}\n  type: consumeEvent\n  event: {type: t}\n  timeout: PT1H\n${next}`;
/** So that a wait is over by its own time, not by the run's. */
const TIMEOUTS = 'timeouts: {interrupt: P1D, kill: P2D}\n';
const NOOP = 'states:\n- {id: a, type: noop}\n';
const TWO_WAITS = `${TIMEOUTS}states:\n${consume('a', "  transform: 'jq({first: .t})'\n  transition: b\n")}${consume('b')}`;

interface Scenario {
  readonly sources: Readonly<Record<string, string>>;
  readonly lookback: string;
  /** The workflows that a client runs. */
  readonly begun: readonly string[];
  readonly types: readonly string[];
  /** How often the first event is asked for again. */
  readonly replays?: number;
  readonly check: (chaos: Chaos, events: readonly CloudEvent[], hasTimeouts: boolean) => string[];
}

const idsOf = ({ listening }: Wait): string[] =>
  listening.received.flatMap((text) => (text === null ? [] : [(JSON.parse(text) as CloudEvent).id]));

/** What a wait did against the rules: it counts what went out since it was entered, once for its run. */
function waitProblems(chaos: Chaos, events: readonly CloudEvent[], wait: Wait): string[] {
  const { listening, run: id, pause } = wait;
  const run = chaos.runs.get(id);
  const others = [...chaos.waits.values()].filter((other) => other.run === id && other.pause !== pause);
  const had = new Set(others.flatMap(idsOf));
  const dueOf = (event: string) => chaos.due.get(event) ?? 0;
  const name = `wait ${pause} of ${run?.path}`;
  const problems = idsOf(wait).flatMap((event) => [
    ...(had.has(event) ? [`${name} took ${event}, as another wait of its run`] : []),
    ...(dueOf(event) < listening.since ? [`${name} took ${event}, which came before it`] : []),
  ]);
  const isOpen = run?.status === 'pending' && run.pause === pause;
  if (isHeard(listening)) {
    const isLost = isOpen || (run?.code === SOFT && !others.some((other) => other.pause > pause));
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

/** With a look-back no event is lost, whenever it came: without timeouts both waits get theirs. */
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

/** Each event stands in one set at most; every set has one of each type; what is left over fits no set. */
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
 * A wait that is still open has missed nothing: of the ways that an event went out since it was entered, also again,
 * each was taken by another wait of its run.
 */
function checkReplays(chaos: Chaos, events: readonly CloudEvent[]): string[] {
  const first = events.map(({ id }) => chaos.due.get(id) ?? 0);
  const again = [...chaos.replays.values()];
  const waysSince = (since: number, some: typeof again) =>
    [...first, ...some.map(({ due }) => due)].filter((due) => due >= since).length;
  const late = [...chaos.waits.values()].flatMap(({ listening, run, pause }) => {
    const now = chaos.runs.get(run);
    // Whoever died before it went out has told nobody that it would.
    const ways = waysSince(
      listening.since,
      again.filter(({ routed }) => routed),
    );
    const others = [...chaos.waits.values()].filter((other) => other.run === run && other.pause < pause).length;
    const isOpen = now?.status === 'pending' && now.pause === pause;
    if (isOpen && ways > others) return [`wait ${pause} of ${now.path} missed one of ${ways} ways`];
    const isEarly = isHeard(listening) && waysSince(listening.since, again) === 0;
    return isEarly ? [`wait ${pause} of ${now?.path} took what came before it`] : [];
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
  'waits of two runs, and an event that is asked for again': {
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
const totals = { interleavings: 0, deaths: 0, waits: 0, runs: 0, replays: 0 };
const prepared = new Map<string, Beginning>();

beforeAll(async () => {
  // Who dies over a line of a log says so there.
  vi.spyOn(console, 'error').mockImplementation(() => {});
  for (const [name, { sources, lookback }] of Object.entries(SCENARIOS)) {
    prepared.set(name, await prepare(sources, lookback));
  }
});

afterAll(() => {
  vi.restoreAllMocks();
  const counts = Object.entries(totals).map(([what, count]) => `${count} ${what}`);
  console.log(`seed ${seed}: ${counts.join(', ')}`);
});

/** One interleaving, all of which follows from its number. */
async function problemsOf(name: string, number: number): Promise<string[]> {
  const scenario = SCENARIOS[name];
  const beginning = prepared.get(name);
  if (scenario === undefined || beginning === undefined) throw new Error(`there is no scenario ${name}`);
  const random = randomOf(seed + number);
  const chaos = new Chaos(beginning, random);
  const events = scenario.types.map((type, index): CloudEvent => {
    return { specversion: '1.0', id: `e${index}`, source: 's', type };
  });
  const { replays = 0 } = scenario;
  const hasTimeouts = scenario.begun.length > 0 && replays === 0 && random() < 0.4;
  // Some are sent twice.
  const sent = [...events, ...events.filter(() => random() < 0.3)];
  await chaos.run(hasTimeouts, [
    ...scenario.begun.map((path) => () => chaos.begin(path, 'key')),
    ...sent.map((event) => () => chaos.send(event)),
    ...Array.from({ length: replays }, () => () => chaos.replay('e0')),
  ]);
  totals.interleavings += 1;
  totals.deaths += chaos.deaths;
  totals.waits += chaos.waits.size;
  totals.runs += chaos.runs.size;
  totals.replays += chaos.replays.size;
  const runs = scenario.begun.filter(
    (path) => [...chaos.runs.values()].filter((run) => run.path === `/${path}`).length !== 1,
  );
  return [
    ...scenario.check(chaos, events, hasTimeouts),
    ...runs.map((path) => `${path} did not run once`),
    ...chaos.faults.map((fault) => `a fault: ${(fault as Error).stack}`),
  ];
}

describe(`${INTERLEAVINGS} random interleavings with deaths and repetitions (seed ${seed})`, () => {
  test.each(names)('of events and %s: each acts as the rules say, none is lost, none acts twice', async (name) => {
    const found: string[] = [];
    for (let number = names.indexOf(name); number < INTERLEAVINGS; number += names.length) {
      const problems = await problemsOf(name, number);
      if (problems.length > 0) found.push(`number ${number}: ${problems.join('; ')}`);
    }
    expect(found.slice(0, 5)).toEqual([]);
  });
});
