import { setTimeout } from 'node:timers/promises';
import { perMillion } from '../bin/cli/costs/prices.ts';
import { type Observer, type Service, startService } from '../bin/server/service.ts';
import { startDynoxide } from '../test/emulator/dynoxide.ts';

/**
 * What each operation costs, counted: calls to the database with the units that it says they take, transitions of state
 * machines, calls of Lambdas, events on the bus. The figures are the same on every machine.
 */
export interface Counts {
  /** `operation table` -> how often. */
  readonly database: Readonly<Record<string, number>>;
  readonly requests: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Of machines of the tier STANDARD. */
  readonly transitions: number;
  /** Executions of machines of the tier EXPRESS. */
  readonly express: number;
  readonly lambdas: number;
  readonly events: number;
  /** USD for a million, of bin/cli/costs/prices.ts. */
  readonly perMillion: number;
}

type Tally = { -readonly [Name in keyof Omit<Counts, 'perMillion'>]: Counts[Name] } & {
  database: Record<string, number>;
};

const empty = (): Tally => ({
  database: {},
  requests: 0,
  readUnits: 0,
  writeUnits: 0,
  transitions: 0,
  express: 0,
  lambdas: 0,
  events: 0,
});
const READS = /^(BatchGet|Get|Query)/;

let tally = empty();

const observer: Observer = {
  onCall: ({ operation, table, units = 0 }) => {
    const name = `${operation} ${table}`;
    tally.database[name] = (tally.database[name] ?? 0) + 1;
    if (READS.test(operation)) tally.readUnits += units;
    else tally.writeUnits += units;
  },
  onInvoke: () => {
    tally.lambdas += 1;
  },
  onTransition: (tier) => {
    if (tier === 'EXPRESS') tally.express += 1;
    else tally.transitions += 1;
  },
  onPublish: () => {
    tally.events += 1;
  },
};

function priced(counted: Tally): Counts {
  // What runs side by side comes in any order.
  const database = Object.fromEntries(Object.entries(counted.database).sort());
  return { ...counted, database, perMillion: perMillion(counted) };
}

const settings = { port: 0, host: '127.0.0.1', data: undefined, apiKey: 'bench', brand: 'service', version: 'v0' };

const NAMESPACE = '/api/namespaces/bench';

/** A chain of so many states that do nothing. */
export function noops(count: number): string {
  const states = Array.from({ length: count }, (_, index) => {
    const next = index + 1 < count ? `\n  transition: s${index + 1}` : '';
    return `- id: s${index}\n  type: noop${next}`;
  });
  return `states:\n${states.join('\n')}\n`;
}

const SETTER = `states:
- {id: set, type: setter, variables: [{key: k, scope: namespace, value: jq(.v)}]}
`;
const GETTER = `states:
- {id: get, type: getter, variables: [{key: k, scope: namespace}]}
`;
const FILE_GETTER = `states:
- {id: get, type: getter, variables: [{key: /read, scope: file}]}
`;

const CHILD = noops(1);
const SLOW_CHILD = `states:
- {id: rest, type: delay, duration: PT1S}
`;
const DELAY = `states:
- {id: rest, type: delay, duration: PT1S, transition: end}
- {id: end, type: noop}
`;
const callOf = (workflow: string): string => `functions:
- {id: f, type: subflow, workflow: ${workflow}}
states:
- {id: call, type: action, action: {function: f}}
`;
const EACH = `functions:
- {id: f, type: subflow, workflow: child}
states:
- {id: each, type: foreach, array: 'jq([range(100) | {n: .}])', action: {function: f}}
`;
const RETRY = `functions:
- {id: f, type: subflow, workflow: failing}
states:
- id: call
  type: action
  action: {function: f, retries: {max_attempts: 1, delay: PT1S, codes: [child]}}
  catch: [{error: '*', transition: end}]
- {id: end, type: noop}
`;
const FAILING = `states:
- {id: fail, type: error, error: child.failed, message: no}
`;
const BY_EVENT = `start: {type: event, event: {type: go}}
states:
- {id: one, type: noop}
`;
const WAITS = `states:
- {id: wait, type: consumeEvent, event: {type: wake}}
`;

type Send = (method: string, path: string, body?: string) => Promise<unknown>;

function senderOf({ url, key }: Service): Send {
  return async (method, path, body) => {
    const headers = { 'Service-Api-Key': key, 'Content-Type': 'application/json' };
    const init = { method, headers, ...(body === undefined ? {} : { body }) };
    const response = await fetch(`${url}${NAMESPACE}${path}`, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}

interface Operation {
  readonly name: string;
  readonly prepare?: readonly (readonly [path: string, yaml: string])[];
  /** Not counted. */
  readonly before?: (send: Send) => Promise<unknown>;
  readonly run: (send: Send) => Promise<unknown>;
  /** What it begins rests for a second now and then. */
  readonly waits?: boolean;
}

function wait(name: string, yaml: string, body = '{}', more: NonNullable<Operation['prepare']> = []): Operation {
  const path = `wait-${name.replaceAll(' ', '-')}`;
  return {
    name: `wait on ${name}`,
    prepare: [...more, [path, yaml]],
    run: (send) => send('POST', `/tree/${path}?op=wait`, body),
  };
}

function execute(name: string, yaml: string, more: Operation['prepare'] = [], waits = false): Operation {
  const path = `execute-${name.replaceAll(' ', '-')}`;
  return {
    name: `execute ${name}`,
    prepare: [...more, [path, yaml]],
    run: (send) => send('POST', `/tree/${path}?op=execute`, '{}'),
    waits,
  };
}

const eventOf = (type: string): string => JSON.stringify({ specversion: '1.0', id: type, source: 'bench', type });

/** What is counted, in this order. */
export const OPERATIONS: readonly Operation[] = [
  { name: 'create a namespace', run: (send) => send('PUT', '') },
  { name: 'create a workflow', run: (send) => send('PUT', '/tree/first?op=create-workflow', noops(1)) },
  { name: 'read a workflow', run: (send) => send('GET', '/tree/first') },
  { name: 'list the tree', run: (send) => send('GET', '/tree') },
  {
    name: 'execute a noop',
    run: (send) => send('POST', '/tree/first?op=execute', '{}'),
  },
  wait('1 noop', noops(1)),
  wait('10 noops', noops(10)),
  wait('100 noops', noops(100)),
  wait('a setter', SETTER, '{"v":5}'),
  wait('a getter', GETTER),
  wait('a getter of a file', FILE_GETTER, '{}', [['read', noops(10)]]),
  execute('10 noops', noops(10)),
  execute('a delay', DELAY, [], true),
  execute('an action on a subflow that does not wait', callOf('child'), [['child', CHILD]]),
  execute('an action on a subflow that waits', callOf('slow'), [['slow', SLOW_CHILD]], true),
  execute('a foreach over 100 subflows that do not wait', EACH),
  execute('a catch after a retry', RETRY, [['failing', FAILING]], true),
  {
    name: 'an event that starts a run',
    prepare: [['by-event', BY_EVENT]],
    run: (send) => send('POST', '/broadcast', eventOf('go')),
  },
  {
    name: 'an event that wakes a run',
    prepare: [['waits', WAITS]],
    before: (send) => send('POST', '/tree/waits?op=execute', '{}'),
    run: (send) => send('POST', '/broadcast', eventOf('wake')),
  },
  { name: 'list instances', run: (send) => send('GET', '/instances?limit=10') },
];

/** Waits for what the operation began, without asking the service: that would count. */
async function untilOver(service: Service, waits: boolean): Promise<void> {
  await service.idle();
  if (!waits) return;
  let before = '';
  do {
    before = JSON.stringify(tally);
    await setTimeout(1500);
    await service.idle();
  } while (JSON.stringify(tally) !== before);
}

/** Runs each operation once, warm, and answers what it cost. */
export async function countCalls(): Promise<Record<string, Counts>> {
  // What a call costs on AWS is told by what speaks its protocol.
  const emulator = await startDynoxide();
  const service = await startService({ ...settings, databaseEndpoint: emulator.endpoint }, observer);
  const send = senderOf(service);
  await service.idle();
  const counts: Record<string, Counts> = {};
  try {
    for (const { name, prepare = [], before, run, waits = false } of OPERATIONS) {
      for (const [path, yaml] of prepare) await send('PUT', `/tree/${path}?op=create-workflow`, yaml);
      await before?.(send);
      await service.idle();
      tally = { ...empty(), requests: 1, lambdas: 1 };
      await run(send);
      await untilOver(service, waits);
      counts[name] = priced(tally);
      tally = empty();
    }
  } finally {
    await service.close();
    await emulator.close();
  }
  return counts;
}
