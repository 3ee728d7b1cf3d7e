import { setTimeout } from 'node:timers/promises';
import { type Observer, type Service, startService } from '../bin/server/service.ts';
import { systemClock } from '../lib/adapters/portable/clock.ts';
import { type StepInput, step } from '../lib/engine/tasks/step.ts';
import type { Lambdas } from '../lib/ports/callees/lambdas.ts';
import type { Ports } from '../lib/ports/ports.ts';
import { perMillion } from '../lib/pricing/prices.ts';
import { DAY_MS, HOUR_MS } from '../lib/time/units.ts';
import { closeMailServers, serveMail } from '../test/egress/mail-server.ts';
import { startDynoxide } from '../test/emulator/dynoxide.ts';
import { startAnswering } from '../test/service/access/answering-server.ts';
import { createClient, SETTINGS } from './clients/client.ts';
import { OPERATIONS, type Operation } from './operations.ts';

/** The resources that one operation uses, counted. The figures are the same on every machine. */
export interface Counts {
  /** Calls of the database by `operation table`, for example `Query runs`. */
  readonly database: Readonly<Record<string, number>>;
  /** HTTP requests. */
  readonly requests: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Transitions of state machines of the tier STANDARD. */
  readonly transitions: number;
  /** Executions of state machines of the tier EXPRESS, and the seconds for which they wait. */
  readonly express: number;
  readonly expressSeconds: number;
  /** Calls of Lambda functions. */
  readonly lambdas: number;
  /** Events on the bus. */
  readonly events: number;
  /** Calls of a function by a timer. */
  readonly timers: number;
  /** The price of a million operations in USD, by lib/pricing/prices.ts. */
  readonly perMillion: number;
}

type Counters = { -readonly [Name in keyof Omit<Counts, 'perMillion'>]: Counts[Name] } & {
  database: Record<string, number>;
};

const zero = (): Counters => ({
  database: {},
  requests: 0,
  readUnits: 0,
  writeUnits: 0,
  transitions: 0,
  express: 0,
  expressSeconds: 0,
  lambdas: 0,
  events: 0,
  timers: 0,
});

const READS = /^(BatchGet|Get|Query)/;

/** Counts the calls that a service reports to its observer. */
class CallCounter implements Observer {
  counters = zero();

  readonly onCall: NonNullable<Observer['onCall']> = ({ operation, table, units = 0 }) => {
    const { database } = this.counters;
    const name = `${operation} ${table}`;
    database[name] = (database[name] ?? 0) + 1;
    if (READS.test(operation)) this.counters.readUnits += units;
    else this.counters.writeUnits += units;
  };

  readonly onInvoke = (): void => {
    this.counters.lambdas += 1;
  };

  readonly onTransition: NonNullable<Observer['onTransition']> = (tier) => {
    if (tier === 'EXPRESS') this.counters.express += 1;
    else this.counters.transitions += 1;
  };

  /** A machine of the tier EXPRESS has one task, and perhaps a state before it that waits: it is billed by time. */
  readonly onWait: NonNullable<Observer['onWait']> = (tier, ms) => {
    if (tier !== 'EXPRESS') return;
    this.counters.express -= 1;
    this.counters.expressSeconds += Math.round(ms / 1000);
  };

  readonly onPublish = (): void => {
    this.counters.events += 1;
  };

  readonly onRing = (): void => {
    this.counters.timers += 1;
    this.counters.lambdas += 1;
  };
}

function toCounts(counters: Counters): Counts {
  // Sorted, because concurrent calls come in any order.
  const database = Object.fromEntries(Object.entries(counters.database).sort());
  return { ...counters, database, perMillion: perMillion(counters) };
}

/** Waits until the counters stop changing. It sends no request to the service, because that would be counted. */
async function untilOver(service: Service, counter: CallCounter, hasDelay: boolean): Promise<void> {
  await service.idle();
  let before = hasDelay ? '' : JSON.stringify(counter.counters);
  while (JSON.stringify(counter.counters) !== before) {
    before = JSON.stringify(counter.counters);
    await setTimeout(1500);
    await service.idle();
  }
}

/** Functions of Lambda that do nothing: their own cost is not counted. */
const NO_WORK: Lambdas = { invoke: async () => ({ payload: Buffer.from('{}') }) };

/** Time for the machine to leave its task before the next call, milliseconds. */
const SETTLE_MS = 100;

interface JumpingTime extends Pick<Ports, 'clock' | 'timers'> {
  /** Rings the timers that limit waits: the waits are over. */
  readonly ringLimits: () => Promise<void>;
  /** Removes them: they belong to what came before an operation. */
  readonly forgetLimits: () => void;
}

/**
 * A clock that jumps to the time of each new timer, and timers that ring at once, so a long delay takes no time. Those that limit
 * waits of other kinds ring when they have no effect any more. `onRing` is called before each call of the steps function.
 */
function jumpingTime(ports: () => Ports, onRing: () => void): JumpingTime {
  const limits: object[] = [];
  // Counters are kept by the day: the same calls are counted at each time of it.
  let ahead = HOUR_MS - (Date.now() % DAY_MS);
  const clock = systemClock(() => Date.now() + ahead);
  const ring = async (input: object): Promise<void> => {
    onRing();
    await step(ports(), input as StepInput);
  };
  return {
    clock,
    ringLimits: async () => {
      for (const input of limits.splice(0)) await ring(input);
    },
    forgetLimits: () => limits.splice(0),
    timers: {
      async set({ name, at, input }) {
        if (name.endsWith('.limit')) return limits.push(input) > 0;
        ahead += Math.max(at - clock.now(), 0);
        setTimeout(SETTLE_MS)
          .then(() => ring(input))
          .catch((error: unknown) => console.error('a timer failed', error));
        return true;
      },
    },
  };
}

/** The operations that are counted again for an installation where runs wait in the table. */
const IN_TABLE = new Set(['create a namespace', 'execute a delay of 1 h', 'a run with a wait for an event']);

const tableOperations = OPERATIONS.filter(({ name }) => IN_TABLE.has(name)).map(
  (operation): Operation => ({ ...operation, name: `${operation.name}, waits: table` }),
);

/** Runs each operation once in a service in memory, and returns its counts by the name of the operation. */
export async function countCalls(): Promise<Record<string, Counts>> {
  const byMachine = await countIn(OPERATIONS);
  return { ...byMachine, ...(await countIn(tableOperations, 'table')) };
}

async function countIn(operations: readonly Operation[], waits?: 'table'): Promise<Record<string, Counts>> {
  const counter = new CallCounter();
  // Only a database that speaks DynamoDB's protocol reports the calls and units that are paid on AWS.
  const emulator = await startDynoxide();
  const api = await startAnswering({ 'GET /': [{ json: { ok: true } }] });
  const { port: mailPort } = await serveMail();
  // The server of HTTP calls is on this machine, where that of a workflow on AWS is not.
  const settings = { ...SETTINGS, allowsPrivateAddresses: true, databaseEndpoint: emulator.endpoint, waits };
  const { ringLimits, forgetLimits, ...time } = jumpingTime(() => service.ports, counter.onRing);
  const service: Service = await startService(settings, counter, { lambdas: NO_WORK, ...time });
  const send = createClient(service, '/api/namespaces/bench');
  const around = { api: api.url, mailPort, idle: () => service.idle() };
  await service.idle();
  const counts: Record<string, Counts> = {};
  try {
    for (const { name, workflows = [], before, run, requests = 1, hasDelay = false } of operations) {
      for (const [path, yaml] of workflows) await send('PUT', `/tree/${path}?op=create-workflow`, yaml);
      const prepared = await before?.(send, around);
      // The first run that continues in another machine defines that machine, once for its revision.
      if (hasDelay) await run(send, around, prepared);
      await untilOver(service, counter, hasDelay);
      forgetLimits();
      // The requests of the operation itself, and the function that serves them.
      counter.counters = { ...zero(), requests, lambdas: requests };
      await run(send, around, prepared);
      await untilOver(service, counter, hasDelay);
      await ringLimits();
      counts[name] = toCounts(counter.counters);
    }
  } finally {
    await service.close();
    await api.close();
    await closeMailServers();
    await emulator.close();
  }
  return counts;
}
