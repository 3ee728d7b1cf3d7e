/** Lambda, ECR and Step Functions as their references describe them, as far as containers need them. */
import { type Asked, type Reply, refusal } from '../../server.ts';
import { done, said } from './event-stream.ts';

export interface Fn {
  readonly name: string;
  input: Readonly<Record<string, unknown>>;
  image: string;
  state: string;
  lastUpdate: string;
  /** Looks after which it is ready. */
  looks: number;
  /** The image of each version; version numbers begin at 1. */
  readonly versions: string[];
  kept?: { readonly wanted: number; readonly version: string; looks: number };
}

/** What the test can make of the world. */
export interface World {
  readonly functions: Map<string, Fn>;
  /** Refusals that come first, by what is asked: `CreateFunction`. */
  readonly first: Record<string, Reply[]>;
  /** What was asked of Lambda, ECR and Step Functions, in order. */
  readonly done: string[];
  /** The request after which whoever asked dies: it is carried out, and its answer does not come. */
  diesAfter: number;
  readonly started: { readonly name: string; readonly id: string; readonly turn: number }[];
  readonly tagsRemoved: string[];
  /** How functions end that become ready. */
  readonly outcome: { state: string; reason: string; code: string; kept: string };
  /** What the function answers to a call. */
  invoke: (event: Readonly<Record<string, unknown>>) => Reply;
}

export const ARN = 'arn:aws:lambda:eu-test-1:123456789012:function:';
const LOOKS = 1;

export const newWorld = (): World => ({
  functions: new Map(),
  first: {},
  done: [],
  diesAfter: Number.POSITIVE_INFINITY,
  started: [],
  tagsRemoved: [],
  outcome: { state: 'Active', reason: '', code: '', kept: 'READY' },
  invoke: () => said([done(), '{}']),
});

type Operation = (world: World, asked: Asked, fn: Fn | undefined, input: Readonly<Record<string, unknown>>) => Reply;

const missing = (): Reply => ({ ...refusal('ResourceNotFoundException'), status: 404 });
const busy = (): Reply => ({ ...refusal('ResourceConflictException'), status: 409 });

function look(world: World, fn: Fn): void {
  if (fn.looks > 0) {
    fn.looks -= 1;
    return;
  }
  if (fn.state === 'Pending') fn.state = world.outcome.state;
  if (fn.lastUpdate === 'InProgress') fn.lastUpdate = 'Successful';
}

const configurationOf = (world: World, { name, state, lastUpdate, input }: Fn, version = '$LATEST') => ({
  FunctionName: name,
  FunctionArn: version === '$LATEST' ? ARN + name : `${ARN}${name}:${version}`,
  Version: version,
  State: state,
  ...(state === 'Failed' && { StateReason: world.outcome.reason, StateReasonCode: world.outcome.code }),
  LastUpdateStatus: lastUpdate,
  MemorySize: input['MemorySize'],
});

const OPERATIONS: readonly (readonly [string, RegExp, Operation])[] = [
  [
    'CreateFunction',
    /^POST \/2015-03-31\/functions$/,
    (world, _asked, _fn, input) => {
      const name = String(input['FunctionName']);
      if (world.functions.has(name)) return busy();
      const image = (input['Code'] as { ImageUri: string }).ImageUri;
      const fn: Fn = { name, input, image, state: 'Pending', lastUpdate: 'Successful', looks: LOOKS, versions: [] };
      world.functions.set(name, fn);
      return { status: 201, body: configurationOf(world, fn) };
    },
  ],
  [
    'ListFunctions',
    /^GET \/2015-03-31\/functions$/,
    (world, { query }) => {
      const from = Number(query.get('Marker') ?? 0);
      const Functions = [...world.functions.values()].slice(from, from + 2).map((fn) => configurationOf(world, fn));
      return { body: { Functions, ...(from + 2 < world.functions.size && { NextMarker: String(from + 2) }) } };
    },
  ],
  [
    'GetFunction',
    /^GET \/2015-03-31\/functions\/([^/]+)$/,
    (world, _asked, fn) => {
      if (fn === undefined) return missing();
      look(world, fn);
      return { body: { Configuration: configurationOf(world, fn), Code: { ImageUri: fn.image } } };
    },
  ],
  [
    'GetFunctionConfiguration',
    /^GET \/2015-03-31\/functions\/([^/]+)\/configuration$/,
    (world, { query }, fn) => {
      const version = query.get('Qualifier') ?? '$LATEST';
      if (fn === undefined || fn.versions[Number(version) - 1] === undefined) return missing();
      return { body: configurationOf(world, fn, version) };
    },
  ],
  [
    'UpdateFunctionCode',
    /^PUT \/2015-03-31\/functions\/([^/]+)\/code$/,
    (world, _asked, fn, input) => {
      if (fn === undefined) return missing();
      if (fn.state === 'Pending' || fn.lastUpdate === 'InProgress') return busy();
      Object.assign(fn, { image: String(input['ImageUri']), lastUpdate: 'InProgress', state: 'Active', looks: LOOKS });
      return { body: configurationOf(world, fn) };
    },
  ],
  [
    'PublishVersion',
    /^POST \/2015-03-31\/functions\/([^/]+)\/versions$/,
    (world, _asked, fn) => {
      if (fn === undefined) return missing();
      if (fn.state !== 'Active' || fn.lastUpdate === 'InProgress') return busy();
      if (fn.versions.at(-1) !== fn.image) fn.versions.push(fn.image);
      return { status: 201, body: configurationOf(world, fn, String(fn.versions.length)) };
    },
  ],
  [
    'PutProvisionedConcurrencyConfig',
    /^PUT \/2019-09-30\/functions\/([^/]+)\/provisioned-concurrency$/,
    (_world, { query }, fn, input) => {
      if (fn === undefined) return missing();
      const wanted = Number(input['ProvisionedConcurrentExecutions']);
      fn.kept = { wanted, version: query.get('Qualifier') ?? '', looks: LOOKS };
      return { status: 202, body: { Status: 'IN_PROGRESS' } };
    },
  ],
  [
    'GetProvisionedConcurrencyConfig',
    /^GET \/2019-09-30\/functions\/([^/]+)\/provisioned-concurrency$/,
    (world, _asked, fn) => {
      if (fn?.kept === undefined) return { ...refusal('ProvisionedConcurrencyConfigNotFoundException'), status: 404 };
      fn.kept.looks -= 1;
      const Status = fn.kept.looks >= 0 ? 'IN_PROGRESS' : world.outcome.kept;
      return { body: { Status, ...(Status === 'FAILED' && { StatusReason: 'there is no room' }) } };
    },
  ],
  [
    'DeleteFunction',
    /^DELETE \/2015-03-31\/functions\/([^/]+)$/,
    (world, _asked, fn) => {
      if (fn === undefined) return missing();
      world.functions.delete(fn.name);
      return { status: 204, body: '' };
    },
  ],
  [
    'InvokeWithResponseStream',
    /^POST \/2021-11-15\/functions\/([^/]+)\/response-streaming-invocations$/,
    (world, _asked, fn, input) => (fn === undefined ? missing() : world.invoke(input)),
  ],
];

const BY_NAME: Readonly<Record<string, (world: World, input: Readonly<Record<string, unknown>>) => Reply>> = {
  GetAuthorizationToken: () => ({
    body: { authorizationData: [{ authorizationToken: Buffer.from('AWS:secret').toString('base64') }] },
  }),
  BatchDeleteImage: (world, { imageIds }) => {
    world.tagsRemoved.push(...(imageIds as { imageTag: string }[]).map(({ imageTag }) => imageTag));
    return { body: { imageIds: [], failures: [] } };
  },
  StartExecution: (world, { name, input }) => {
    if (world.started.some((one) => one.name === name)) return refusal('ExecutionAlreadyExists');
    world.started.push({ ...(JSON.parse(String(input)) as { id: string; turn: number }), name: String(name) });
    return { body: { executionArn: 'arn', startDate: 0 } };
  },
};

/** Carries out what the SDK really sends. */
export function answer(world: World, asked: Asked): Reply {
  const row = OPERATIONS.find(([, sign]) => sign.test(`${asked.method} ${asked.path}`));
  const operation = asked.operation || (row?.[0] ?? `${asked.method} ${asked.path}`);
  world.done.push(operation);
  const refused = world.first[operation]?.shift();
  if (refused !== undefined) return refused;
  const reply = BY_NAME[operation]?.(world, asked.input) ?? carryOut(world, asked, row);
  return world.done.length === world.diesAfter ? refusal('Dead') : reply;
}

function carryOut(world: World, asked: Asked, row: (typeof OPERATIONS)[number] | undefined): Reply {
  const [, place = ''] = row?.[1].exec(`${asked.method} ${asked.path}`) ?? [];
  const fn = world.functions.get(place.replace(ARN, '').split(':')[0] ?? '');
  const body = Buffer.from(asked.bytes).toString('utf8');
  const input = body === '' ? {} : (JSON.parse(body) as Record<string, unknown>);
  return row?.[2](world, asked, fn, input) ?? { status: 500 };
}
