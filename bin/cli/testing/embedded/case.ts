import { ServiceError } from '../../../../lib/domain/errors.ts';
import * as namespaces from '../../../../lib/domain/namespaces/namespaces.ts';
import * as runs from '../../../../lib/domain/runs/runs.ts';
import * as workflows from '../../../../lib/domain/tree/workflows.ts';
import { onAccountOf } from '../../../../lib/engine/evaluation/tenants.ts';
import { receive } from '../../../../lib/engine/events/broadcasting.ts';
import { execute } from '../../../../lib/engine/requests/start/start.ts';
import { InputError } from '../../../../lib/engine/run/schemas.ts';
import type { CloudEvent } from '../../../../lib/events/cloud-event.ts';
import { functionKey } from '../../../../lib/testing/format/function-keys.ts';
import { momentAfter } from '../../../../lib/testing/format/moments.ts';
import type { TestEvent } from '../../../../lib/testing/format/suite.ts';
import { isOutside, stagedSource } from '../../../../lib/testing/mocking/functions.ts';
import { MockScript } from '../../../../lib/testing/mocking/script.ts';
import type { Observation, ObservedProblem } from '../../../../lib/testing/observation.ts';
import { type Beginning, beginningOf, losesStart, type PreparedCase } from '../../../../lib/testing/prepared.ts';
import { DecisionQueue } from './decision-queue.ts';
import { observe } from './observing.ts';
import { NAMESPACE, PatienceError, TestWorld } from './world.ts';

/** How a run of a case differs from the plain one. */
export interface Variation {
  /** The process crashes after the durable operation of this number, from 1. */
  readonly crashAt?: number;
  /** Each message of the bus, and each event and decision of the case, is delivered twice. */
  readonly repeatsEvents?: boolean;
  /** Changes the order of events that are due at the same time. */
  readonly shuffle?: <T>(events: readonly T[]) => readonly T[];
  /** A delay of the start of the clock, in milliseconds. It shows which results depend on the time. */
  readonly later?: number;
}

/** A case that was run. */
export interface CaseRun {
  readonly observation: Observation;
  /** How many durable operations it made. */
  readonly operations: number;
  /** The moment at which the process crashed; undefined if it did not. */
  readonly crashedAfter: string | undefined;
}

/** The time at which cases begin by default. */
const START = Date.UTC(2026, 0, 1);
/** The longest duration of a case in virtual time. */
const MAX_YEARS_MS = 10 * 366 * 86_400_000;

/** An event of a case, with the time when it is sent, milliseconds since 1970. */
interface QueuedEvent {
  readonly event: TestEvent;
  readonly due: number;
  readonly id: string;
}

function stagedSources(prepared: PreparedCase): Map<string, string> {
  const isMocked = (key: string): boolean => prepared.mocks.has(key);
  return new Map(
    [...prepared.workflows.values()].map((one) => {
      return [one.path, stagedSource({ ...one, isMocked, startsByHand: losesStart(prepared, one) })];
    }),
  );
}

/** Runs one case in a world of its own. */
class CaseRunner {
  readonly #prepared: PreparedCase;
  readonly #variation: Variation;
  readonly #script: MockScript;
  readonly #world: TestWorld;
  readonly #start: number;
  readonly #beginning: Beginning;
  readonly #sent = new Set<string>();
  readonly #problems: ObservedProblem[] = [];
  readonly #decisions: DecisionQueue;
  #root: string | undefined;
  /** The failure of a start whose input does not match the schema of the workflow. */
  #rejection: Observation['error'];

  constructor(prepared: PreparedCase, variation: Variation, giveUpAt: number) {
    this.#prepared = prepared;
    this.#variation = variation;
    this.#script = new MockScript(prepared.mocks);
    this.#beginning = beginningOf(prepared);
    this.#start = (prepared.test.now ?? START) + (variation.later ?? 0);
    const { crashAt, repeatsEvents = false } = variation;
    const deliversTwice = repeatsEvents;
    this.#world = new TestWorld({ start: this.#start, script: this.#script, crashAt, deliversTwice, giveUpAt });
    const { main, test } = prepared;
    const deciding = { decisions: test.decisions, main: main.path, start: this.#start, repeats: repeatsEvents };
    this.#decisions = new DecisionQueue(this.#world, deciding);
  }

  /** The virtual time. */
  get now(): number {
    return this.#world.time.clock.now();
  }

  async run(): Promise<CaseRun> {
    const world = this.#world;
    try {
      await world.store(stagedSources(this.#prepared));
      await this.#given();
      world.countFromNow();
      await this.#act().catch((error: unknown) => {
        if (!(error instanceof PatienceError)) throw error;
        const message = `${error.message}: it loops without a wait, or a script does not end`;
        this.#problems.push({ message, at: undefined });
      });
      world.stop();
      const { operations, crashedAfter } = world;
      return { observation: await this.#observe(), operations, crashedAfter };
    } finally {
      await world.close();
    }
  }

  async #given(): Promise<void> {
    const { test, main } = this.#prepared;
    const { namespace, node } = await workflows.open(this.#world.ports, NAMESPACE, `/${main.path}`);
    const owners = { namespace: namespace.id, workflow: node.id };
    for (const scope of ['namespace', 'workflow'] as const) {
      for (const [name, value] of Object.entries(test.variables[scope] ?? {})) {
        await this.#world.setVariable({ scope, id: owners[scope] }, name, value);
      }
    }
    for (const [name, value] of Object.entries(test.secrets)) await this.#world.setSecret(name, value);
  }

  async #act(): Promise<void> {
    if (this.#beginning === 'request') await this.#execute();
    const queue = this.#queue();
    do await this.#world.settle();
    while (await this.#goOn(queue));
    await this.#decisions.finish();
  }

  /** Does what comes next: of what is due at the same time first an event, then a timer, last a decision. */
  async #goOn(queue: QueuedEvent[]): Promise<boolean> {
    const decisions = this.#decisions;
    if (await decisions.makeWaiting()) return true;
    const { time } = this.#world;
    const { due } = decisions;
    const [next] = queue;
    if (next === undefined && due === undefined && (await this.#isOver())) return false;
    if (next !== undefined && next.due <= Math.min(time.next ?? next.due, due ?? next.due)) {
      time.advanceTo(next.due);
      queue.shift();
      await this.#send(next.event, next.id);
      return true;
    }
    if (due === undefined || (time.next ?? due + 1) <= due) return this.#pass();
    time.advanceTo(due);
    await decisions.makeDue();
    return true;
  }

  /** The events in the order in which they are sent. One without a time is due with the event before it. */
  #queue(): QueuedEvent[] {
    let due = this.#start;
    const queue = this.#prepared.test.events.map((event, index) => {
      if (event.after !== undefined) due = momentAfter(this.#start, event.after);
      return { event, due, id: event.id ?? `test-event-${index + 1}` };
    });
    const { shuffle = (events) => events } = this.#variation;
    const byTime = Map.groupBy(queue, (one) => one.due);
    return [...byTime].toSorted(([a], [b]) => a - b).flatMap(([, events]) => shuffle(events));
  }

  /** Fires the next timer. Returns false if there is no timer. */
  #pass(): boolean {
    const { time } = this.#world;
    if (time.next === undefined || time.next > this.#start + MAX_YEARS_MS) return false;
    time.advance();
    return true;
  }

  async #execute(): Promise<void> {
    const { test, main } = this.#prepared;
    const input = Buffer.from(JSON.stringify(test.input ?? {}));
    const invocation = { namespace: NAMESPACE, path: `/${main.path}`, ref: '', input, key: 'test' };
    await this.#world.request(async (ports) => {
      try {
        this.#root = (await execute(ports, invocation)).run.id;
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        // The code of a call of the workflow, and of an event.
        this.#rejection = { code: `${ports.settings.brand}.input.invalid`, message: error.message };
      }
    });
  }

  async #send(given: TestEvent, id: string): Promise<void> {
    this.#sent.add(id);
    const event: CloudEvent = {
      specversion: '1.0',
      ...given.context,
      id,
      source: given.source ?? 'test',
      type: given.type,
    };
    const whole =
      given.data === undefined ? event : { ...event, datacontenttype: 'application/json', data: given.data };
    for (let times = this.#variation.repeatsEvents ? 2 : 1; times > 0; times -= 1) {
      await this.#world.request(async (ports) => {
        const namespace = await namespaces.need(ports, NAMESPACE);
        await receive(ports, namespace, whole).catch(unlessExists);
      });
    }
  }

  /** Whether every run has ended, and there is one of the workflow. */
  async #isOver(): Promise<boolean> {
    const { recording, ports } = this.#world;
    const all = [...recording.runs.values()].filter(({ isCall }) => !isCall);
    this.#root ??= all.find(({ path }) => path === `/${this.#prepared.main.path}`)?.id;
    if (this.#root === undefined) return false;
    const found = await runs.findMany(
      ports,
      all.map(({ id }) => id),
    );
    return found.every((run) => run?.status !== 'pending');
  }

  #observe(): Promise<Observation> {
    const types = new Map(
      [...this.#prepared.workflows.values()].flatMap(({ path, plan }) =>
        Object.entries(plan.functions).map(([id, { type }]) => [functionKey(path, id), type] as const),
      ),
    );
    const functionOf = (key: string) => {
      const type = types.get(key) ?? 'knative-workflow';
      return { type, isIdempotent: !isOutside({ type }) || this.#script.isIdempotent(key) };
    };
    const root = this.#root;
    const rejection = this.#rejection;
    const problems = [...this.#problems, ...this.#decisions.problems];
    return observe(this.#world, { root, rejection, sent: this.#sent, functionOf, problems });
  }
}

/** A sender repeats an event if it does not know whether the service accepted it. */
function unlessExists(error: unknown): void {
  if (!(error instanceof ServiceError && error.code === 'exists')) throw error;
}

/** Runs a case in this process, in memory. It is aborted after `patience` milliseconds of real time. */
export function runCase(prepared: PreparedCase, variation: Variation, patience: number): Promise<CaseRun> {
  const runner = new CaseRunner(prepared, variation, performance.now() + patience);
  return onAccountOf({ id: '', now: () => runner.now }, () => runner.run());
}
