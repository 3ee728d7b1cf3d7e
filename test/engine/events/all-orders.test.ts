import { describe, expect, test } from 'vitest';
import * as events from '../../../lib/domain/events/events.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import * as runs from '../../../lib/domain/runs/runs.ts';
import { isFulfilled } from '../../../lib/domain/runs/waits.ts';
import * as workflows from '../../../lib/domain/tree/workflows.ts';
import { receive } from '../../../lib/engine/events/broadcasting.ts';
import { offerToRun } from '../../../lib/engine/events/listening.ts';
import type { EnginePorts, RunnerPorts } from '../../../lib/engine/ports.ts';
import { execute } from '../../../lib/engine/requests/start/start.ts';
import { route } from '../../../lib/engine/routing/router.ts';
import { step } from '../../../lib/engine/tasks/step.ts';
import type { CloudEvent } from '../../../lib/events/cloud-event.ts';
import type { Message } from '../../../lib/ports/bus.ts';
import { cases, IS_FULL } from '../../effort.ts';
import { exploreOrders, type Model, OrderedWorld, type Rows } from './all-orders.ts';

const NAMESPACE = 'orders';
const eventOf = (id: string, type: string): CloudEvent => ({ specversion: '1.0', id, source: 's', type });

const ONE = 'states: [{id: a, type: consumeEvent, event: {type: t}}]\n';
const BOTH = 'states: [{id: a, type: eventsAnd, events: [{type: t}, {type: u}]}]\n';

/** A step of these runs uses no other port. */
const asRunner = (ports: EnginePorts) => ports as RunnerPorts;

/** Counts the ids of all beginnings, because revisions are cached by their ids. */
let ids = 0;

/** A stored state, the run in it, and the messages that were published. */
interface Beginning {
  readonly rows: Rows;
  readonly id: string;
  readonly published: readonly Message[];
}

/** A run was started; with events it waits, and they are recorded and published. */
async function beginning(source: string, ...events: readonly CloudEvent[]): Promise<Beginning> {
  const published: Message[] = [];
  const rows = { catalog: new Map(), runs: new Map(), journal: new Map() };
  const none = { rows, actors: {}, route: () => async () => undefined, check: async () => [] };
  const first = new OrderedWorld(none);
  const clock = { ...first.ports.clock, uuid: () => `0bee0000-0000-7000-8000-${String(++ids).padStart(12, '0')}` };
  const bus = { ...first.ports.bus, publish: async (messages: readonly Message[]) => void published.push(...messages) };
  const ports = { ...first.ports, clock, bus };
  await namespaces.create(ports, NAMESPACE);
  await workflows.create(ports, NAMESPACE, '/flow', source);
  const { run } = await execute(asRunner(ports), {
    namespace: NAMESPACE,
    path: '/flow',
    ref: '',
    input: Buffer.from('{}'),
  });
  if (events.length > 0) await step(asRunner(ports), { run: run.id, execution: run.id });
  for (const event of events) await receive(ports, await namespaces.need(ports, NAMESPACE), event);
  return { rows: first.state, id: run.id, published };
}

/** The machine of the run: the batch before the wait, and the task of the wait under a token. */
const machine = (run: string, token: string) => (world: OrderedWorld) => async (ports: EnginePorts) => {
  const { pause } = await step(asRunner(ports), { run, execution: run });
  world.token = token;
  await step(asRunner(ports), { run, execution: run, listen: pause, token });
};

/** A call of the task whose result the machine did not get: it calls again, with another token, while this one goes on. */
const retriedMachine = (run: string) => (world: OrderedWorld) => async (ports: EnginePorts) => {
  world.token = 'first';
  world.start('first call', (of) => step(asRunner(of), { run, execution: run, listen: 1, token: 'first' }));
  // The machine learns of the failure at any time.
  await ports.executions.stop('', '', '', '');
  world.token = 'second';
  await step(asRunner(ports), { run, execution: run, listen: 1, token: 'second' });
};

const sender = (event: CloudEvent) => () => async (ports: EnginePorts) =>
  receive(ports, await namespaces.need(ports, NAMESPACE), event);

type Part = Pick<Model, 'actors' | 'crashing' | 'unordered' | 'startBudgetMs'>;

function modelOf({ rows, id }: Beginning, of: Part): Model {
  return {
    rows,
    ...of,
    route: (message) => (ports) => route(asRunner(ports), message),
    check: async ({ ports, answers }) => {
      const run = await runs.find(ports, id);
      // The task that waits ends with the outcome of a run that was resumed, else with an error, which leads to its batch.
      const isResumed = run?.status === 'complete' && run.data['t'] !== undefined;
      const listening = run?.wait?.listening;
      if (!isResumed && (listening === undefined || !isFulfilled(listening))) return ['the run has not its events'];
      const isRight = answers.length === 1 && answers.every((answer) => isResumed || 'error' in answer);
      return isRight ? [] : ['the run has received its events and was not woken'];
    },
  };
}

/** The calls of the router for the events that were published. */
const routers = ({ published }: Beginning) =>
  Object.fromEntries(
    published.map((message) => [
      `router of ${message.id}`,
      () => (ports: EnginePorts) => route(asRunner(ports), message),
    ]),
  );

/** The router's offers of the events to the run alone. */
const offers = ({ id, published }: Beginning) =>
  Object.fromEntries(
    published.map(({ id: event }) => [
      `offer of ${event}`,
      ({ ports: now }: OrderedWorld) =>
        async (ports: EnginePorts) =>
          offerToRun(
            ports,
            { run: id, number: 1 },
            await events.need(now, (await namespaces.need(now, NAMESPACE)).id, event),
          ),
    ]),
  );

const [T, U] = [eventOf('e1', 't'), eventOf('e2', 'u')];
const begun = await beginning(ONE);
const waiting = await beginning(ONE, T);
const waitingForOne = await beginning(ONE, T, eventOf('e2', 't'));
const waitingForBoth = await beginning(BOTH, T, U);

/** Where all events are recorded before, the journal is only read, and written for explanations and the router's position. */
const RUNS_ALONE: Pick<Model, 'unordered'> = { unordered: ['catalog', 'journal'] };

const MODELS: Readonly<Record<string, Model>> = {
  'an event is sent while a run begins to wait': modelOf(begun, {
    actors: { machine: machine(begun.id, 'token'), sender: sender(T) },
  }),
  'a process crashes anywhere and starts again': modelOf(waiting, {
    ...(IS_FULL ? {} : RUNS_ALONE),
    actors: { machine: machine(waiting.id, 'token'), ...routers(waiting) },
    crashing: ['machine', 'router'],
  }),
  'the router resumes the run, crashes anywhere and is called again': modelOf(waiting, {
    ...RUNS_ALONE,
    actors: { machine: machine(waiting.id, 'token'), ...routers(waiting) },
    crashing: ['router'],
    startBudgetMs: 100,
  }),
  'two events are sent to a run that needs one': modelOf(waitingForOne, {
    ...RUNS_ALONE,
    actors: { machine: machine(waitingForOne.id, 'token'), ...routers(waitingForOne) },
    startBudgetMs: 100,
  }),
  'a task of the machine is called twice': modelOf(waiting, {
    ...RUNS_ALONE,
    actors: { machine: retriedMachine(waiting.id), ...offers(waiting) },
  }),
  'two events are sent to a run that needs both': modelOf(waitingForBoth, {
    ...RUNS_ALONE,
    actors: { machine: machine(waitingForBoth.id, 'token'), ...offers(waitingForBoth) },
  }),
};

/** Nearly all faults of concurrent programs show with two. */
const MAX_INTERRUPTIONS = cases(2, 3);

describe('in all orders of the calls of their ports, a run receives the events that it waits for and is woken', () => {
  test.each(Object.entries(MODELS))('when %s', async (_name, model) => {
    // Fills the cache of revisions, so that the actors make the same calls in each order.
    await exploreOrders({ ...model, actors: {} }, 0);
    const { ends, problems } = await exploreOrders(model, MAX_INTERRUPTIONS);
    expect(problems).toEqual([]);
    expect(ends).toBeGreaterThan(0);
  });
});
