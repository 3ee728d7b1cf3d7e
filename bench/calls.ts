import { type Service, startService } from '../bin/service.ts';

/**
 * What each operation costs, counted: calls to the database with the units that it says they take, tasks of state
 * machines (a transition each), calls of Lambdas. The figures are the same on every machine.
 */
export interface Counts {
  /** `operation table` -> how often. */
  readonly database: Readonly<Record<string, number>>;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly transitions: number;
  readonly lambdas: number;
}

interface Tally {
  database: Record<string, number>;
  readUnits: number;
  writeUnits: number;
  transitions: number;
  lambdas: number;
}

const empty = (): Tally => ({ database: {}, readUnits: 0, writeUnits: 0, transitions: 0, lambdas: 0 });
const READS = /^(BatchGet|Get|Query)/;

let tally = empty();

const observer = {
  onCall: ({ operation, table, units = 0 }: { operation: string; table: string; units?: number }) => {
    const name = `${operation} ${table}`;
    tally.database[name] = (tally.database[name] ?? 0) + 1;
    if (READS.test(operation)) tally.readUnits += units;
    else tally.writeUnits += units;
  },
  onStep: () => {
    tally.transitions += 1;
    tally.lambdas += 1;
  },
};

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

type Send = (method: string, path: string, body?: string) => Promise<unknown>;

function senderOf({ url, key }: Service): Send {
  return async (method, path, body) => {
    const init = { method, headers: { 'Service-Api-Key': key }, ...(body === undefined ? {} : { body }) };
    const response = await fetch(`${url}${NAMESPACE}${path}`, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
}

interface Operation {
  readonly name: string;
  readonly prepare?: readonly (readonly [path: string, yaml: string])[];
  readonly run: (send: Send) => Promise<unknown>;
}

function wait(name: string, yaml: string, body = '{}'): Operation {
  const path = `wait-${name.replaceAll(' ', '-')}`;
  return {
    name: `wait on ${name}`,
    prepare: [[path, yaml]],
    run: (send) => send('POST', `/tree/${path}?op=wait`, body),
  };
}

const OPERATIONS: readonly Operation[] = [
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
  { name: 'list instances', run: (send) => send('GET', '/instances?limit=10') },
];

/** Runs each operation once, warm, and answers what it cost. */
export async function countCalls(): Promise<Record<string, Counts>> {
  const service = await startService({ ...settings, databaseEndpoint: undefined }, observer);
  const send = senderOf(service);
  await service.idle();
  const counts: Record<string, Counts> = {};
  try {
    for (const { name, prepare = [], run } of OPERATIONS) {
      for (const [path, yaml] of prepare) await send('PUT', `/tree/${path}?op=create-workflow`, yaml);
      tally = { ...empty(), lambdas: 1 };
      await run(send);
      await service.idle();
      counts[name] = tally;
      tally = empty();
    }
  } finally {
    await service.close();
  }
  return counts;
}
