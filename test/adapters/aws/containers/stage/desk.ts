/** Containers on AWS with the world around them: registries, Lambda, ECR and Step Functions, and a clock. */
import { ECRClient } from '@aws-sdk/client-ecr';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SFNClient } from '@aws-sdk/client-sfn';
import { invoker } from '../../../../../lib/adapters/aws/containers/calls/function-call.ts';
import { lambdaContainers } from '../../../../../lib/adapters/aws/containers/containers.ts';
import { createLayerSource } from '../../../../../lib/adapters/aws/containers/images/layers.ts';
import { RevisionRecords } from '../../../../../lib/adapters/aws/containers/revisions/records.ts';
import { functionNameOf, type ReconcileRound, type ReconcileOptions, reconcile } from '../../../../../lib/adapters/aws/containers/revisions/reconcile.ts';
import { localSealer } from '../../../../../lib/adapters/local/sealer.ts';
import { egressGuard } from '../../../../../lib/egress/guard.ts';
import type { ContainerRevision, RevisionStatus } from '../../../../../lib/ports/containers.ts';
import { MemoryTable } from '../../../../contract/memory-table.ts';
import { type AwsServer, type Reply, refusal, startAwsServer } from '../../server.ts';
import { type Bucket, startBucket } from './bucket.ts';
import { addImage, addNode, NODE } from './images.ts';
import { ARN, answer, newWorld, type World } from './lambda.ts';
import { type Store, startStore } from './store.ts';

export const PREFIX = 'weft--container-';
export const LONG = 900_000;
export const ID = 'namespace-demo-fast-00001-abcdef';
export const NAME = functionNameOf(PREFIX, ID);
export const VERSION = `${ARN}${NAME}:1`;
export const THROTTLED: Reply = { ...refusal('TooManyRequestsException'), status: 429 };

export let source: Store;
export let images: Store;
export let aws: AwsServer;
export let world: World;
export let table: MemoryTable;
export let time: number;
let bucket: Bucket;
/** Where Node comes from. */
export let nodes: Store;

/** Everything anew: call it before each test. */
export async function open(): Promise<void> {
  world = newWorld();
  table = new MemoryTable();
  time = 1_000_000;
  [source, images, aws] = await Promise.all([
    startStore({ asks: 'basic', login: 'ada:right' }),
    startStore({ asks: 'basic', login: 'AWS:secret' }),
    startAwsServer((asked) => answer(world, asked)),
  ]);
  await addImage(source, 'demo/fast', '1');
  nodes = await startStore();
  await addNode(nodes);
  bucket = await startBucket();
}

export async function close(): Promise<void> {
  for (const one of [source, images, aws, nodes, bucket]) await one.close();
}

export function later(milliseconds: number): void {
  time += milliseconds;
}

const sealer = localSealer();

export function containersOf() {
  return lambdaContainers({
    table,
    sealer: () => sealer,
    machineArn: 'arn:machine',
    bucket: bucket.name,
    s3: bucket.client,
    invoke: invoker(new LambdaClient({ ...aws.config, maxAttempts: 1 })),
    sfn: new SFNClient(aws.config),
    now: () => time,
    pause: async (milliseconds) => {
      time += milliseconds;
      await runAll();
    },
  });
}

export function optionsOf(): ReconcileOptions {
  const guard = egressGuard({ allowsLoopback: true });
  return {
    records: new RevisionRecords({ table, sealer: () => sealer, now: () => time }),
    client: new LambdaClient({ ...aws.config, maxAttempts: 1 }),
    ecr: new ECRClient({ ...aws.config, maxAttempts: 1 }),
    roleArn: 'arn:aws:iam::123456789012:role/weft-containers/role',
    logGroup: '/aws/lambda/weft-container-services',
    repositoryUri: '123456789012.dkr.ecr.eu-test-1.amazonaws.com/weft-containers',
    registryBase: images.base,
    namePrefix: PREFIX,
    guard,
    layersFor: createLayerSource({
      guard,
      table,
      program: async () => Buffer.from('program'),
      nodeImage: `${nodes.host}/${NODE}:1`,
    }),
  };
}

/** What the state machine does with every execution that was started, to its end. */
export async function runAll(isDead: (round: ReconcileRound) => boolean = () => false): Promise<void> {
  for (const { id, turn } of [...world.started]) {
    let round: ReconcileRound = { id, turn, tries: 0, seconds: 0 };
    while (round.seconds !== undefined && !isDead(round)) round = await reconcile(optionsOf(), round, LONG);
  }
}

export const revision = (given: Partial<ContainerRevision> = {}): ContainerRevision => ({
  id: ID,
  image: `${source.host}/demo/fast:1`,
  command: [],
  environment: {},
  size: 1,
  minScale: 0,
  credentials: [{ url: `http://${source.host}`, user: 'ada', token: 'right' }],
  ...given,
});

export async function statusOf(id = ID): Promise<RevisionStatus | undefined> {
  const [status] = await containersOf().status([id]);
  return status;
}

export async function prepared(given: Partial<ContainerRevision> = {}): Promise<RevisionStatus | undefined> {
  await containersOf().prepare(revision(given));
  await runAll();
  return statusOf(given.id);
}

export function firstStarted(): { readonly id: string; readonly turn: number } {
  const [first] = world.started;
  if (first === undefined) throw new Error('no execution was started');
  return first;
}

export const READY = { id: ID, state: 'ready', reason: '', message: '', pods: [] };

/** Nothing is there any more, but for the sources. */
export async function reset(): Promise<void> {
  world.functions.clear();
  world.done.length = 0;
  world.diesAfter = Number.POSITIVE_INFINITY;
  world.started.length = 0;
  images.manifests.clear();
  images.blobs.clear();
  table = new MemoryTable();
  time += 1;
}
