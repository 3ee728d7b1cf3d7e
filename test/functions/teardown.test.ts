import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handler } from '../../functions/deploy/teardown.ts';
import { type AwsRequest, type AwsServer, type Reply, startAwsServer } from '../adapters/aws/server.ts';

const arnOf = (name: string): string => `arn:aws:states:us-east-1:000000000000:stateMachine:${name}`;

/** A fake Step Functions with pages of two machines, and the responses that CloudFormation got. */
let machines: string[] = [];
let pageSize = 2;
/** How long a deletion takes at the quota, milliseconds, and the time that has passed by that. */
let deletionMs = 0;
let passedMs = 0;
const answers: Record<string, unknown>[] = [];
let isBroken = false;
let server: AwsServer;

const OPERATIONS: Record<string, (input: AwsRequest['input']) => Reply> = {
  ListStateMachines({ nextToken }) {
    const from = Number(nextToken ?? 0);
    const left = machines.filter((name) => !deleted.includes(arnOf(name)));
    const page = left.slice(from, from + pageSize).map((name) => ({ name, stateMachineArn: arnOf(name) }));
    const next = from + pageSize < left.length ? { nextToken: String(from + pageSize) } : {};
    return { body: { stateMachines: page, ...next } };
  },
  ListExecutions({ stateMachineArn }) {
    const executionArn = `${stateMachineArn}:waiting`.replace('stateMachine', 'execution');
    return { body: { executions: deleted.includes(String(stateMachineArn)) ? [] : [{ executionArn }] } };
  },
  StopExecution({ executionArn, error }) {
    stopped.push(`${executionArn} ${error}`);
    return { body: { stopDate: 0 } };
  },
  DeleteStateMachine({ stateMachineArn }) {
    if (isBroken) return { status: 400, body: { __type: 'AccessDeniedException', message: 'refused' } };
    passedMs += deletionMs;
    deleted.push(String(stateMachineArn));
    return {};
  },
};
/** The versions and delete markers of a bucket, as `key version`; a page lists two of each. */
let versions: string[] = [];
let markers: string[] = [];

const xmlOf = (tag: string, all: readonly string[]): string =>
  all
    .slice(0, pageSize)
    .map((one) => one.split(' '))
    .map(([key, version]) => `<${tag}><Key>${key}</Key><VersionId>${version}</VersionId></${tag}>`)
    .join('');

/** A fake S3: a listing of versions, or a deletion of the versions that the body names. */
function replyOfBucket({ method, bytes }: AwsRequest): Reply {
  if (method === 'GET') {
    const listed = xmlOf('Version', versions) + xmlOf('DeleteMarker', markers);
    return { body: `<ListVersionsResult>${listed}</ListVersionsResult>` };
  }
  const found = Buffer.from(bytes)
    .toString()
    .matchAll(/<Key>(.*?)<\/Key><VersionId>(.*?)<\/VersionId>/g);
  const gone = new Set(Array.from(found, ([, key, version]) => `${key} ${version}`));
  const isLeft = (one: string) => !gone.has(one);
  [versions, markers] = [versions.filter(isLeft), markers.filter(isLeft)];
  return { body: '<DeleteResult/>' };
}

/** The tags of the function. */
let tags: Record<string, string> = {};

const deleted: string[] = [];
const stopped: string[] = [];

/** The events with which the function called itself. */
const again: Parameters<typeof handler>[0][] = [];

function reply(request: AwsRequest): Reply {
  const { operation, input, bytes, path, query } = request;
  if (query.has('versions') || query.has('delete')) return replyOfBucket(request);
  if (path.endsWith('/invocations')) {
    again.push(JSON.parse(Buffer.from(bytes).toString()));
    return { status: 202 };
  }
  if (path.startsWith('/2017-03-31/tags/')) {
    if (request.method === 'GET') return { body: { Tags: tags } };
    Object.assign(tags, JSON.parse(Buffer.from(bytes).toString()).Tags);
    return {};
  }
  const act = OPERATIONS[operation];
  if (act !== undefined) return act(input);
  answers.push(JSON.parse(Buffer.from(bytes).toString()));
  return {};
}

beforeEach(async () => {
  machines = ['weft-a', 'others', 'weft-b', 'weft-c', 'weft_delay'];
  deleted.length = 0;
  stopped.length = 0;
  again.length = 0;
  answers.length = 0;
  tags = {};
  isBroken = false;
  [pageSize, deletionMs, passedMs] = [2, 0, 0];
  server = await startAwsServer(reply);
  const { endpoint, region, credentials } = server.config;
  vi.stubEnv('AWS_ENDPOINT_URL', endpoint);
  vi.stubEnv('AWS_REGION', region);
  vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

const asked = (RequestType: string): CloudFormationCustomResourceEvent =>
  ({
    RequestType,
    ResponseURL: `${server.config.endpoint}/answer`,
    StackId: 'stack',
    RequestId: 'request',
    LogicalResourceId: 'logical',
    PhysicalResourceId: 'weft-',
    ResourceProperties: { ServiceToken: 'token', prefix: 'weft-' },
  }) as unknown as CloudFormationCustomResourceEvent;

const timeFor = (calls: number) => {
  let left = calls;
  return {
    invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:teardown',
    getRemainingTimeInMillis: () => (left-- > 0 ? 900_000 : 0),
  };
};
const PLENTY = timeFor(1_000_000);

test('deleting the stack deletes the machines that the service made, and no others', async () => {
  await handler(asked('Delete'), PLENTY);
  expect(deleted).toEqual(['weft-a', 'weft-b', 'weft-c'].map(arnOf));
  expect(answers).toMatchObject([{ Status: 'SUCCESS', PhysicalResourceId: 'weft-' }]);
});

test('deleting a retained data stack deletes nothing, and responds under its name', async () => {
  const event = asked('Delete');
  await handler({ ...event, ResourceProperties: { ServiceToken: 'token', name: 'weft' } }, PLENTY);
  expect(deleted).toEqual([]);
  expect(answers).toMatchObject([{ Status: 'SUCCESS', PhysicalResourceId: 'weft' }]);
});

test('the bucket is emptied of all versions and delete markers, page by page', async () => {
  versions = ['runs/a null', 'runs/b 1', 'runs/b 2', 'runs/c 3', 'events/d 4'];
  markers = ['runs/b 5', 'runs/c 6', 'events/d 7'];
  const event = asked('Delete');
  await handler({ ...event, ResourceProperties: { ServiceToken: 'token', name: 'weft', bucket: 'blobs' } }, PLENTY);
  expect([versions, markers]).toEqual([[], []]);
  expect(answers).toMatchObject([{ Status: 'SUCCESS' }]);
});

test.each(['Create', 'Update'])('%s deletes none', async (type) => {
  await handler(asked(type), PLENTY);
  expect(deleted).toEqual([]);
  expect(answers).toMatchObject([{ Status: 'SUCCESS' }]);
});

test('CloudFormation gets the reason when a machine cannot be deleted', async () => {
  isBroken = true;
  await handler(asked('Delete'), PLENTY);
  expect(answers).toMatchObject([{ Status: 'FAILED', Reason: expect.stringContaining('refused') }]);
});

test('the executions of a machine are stopped before it is deleted, so that their runs continue after the next deployment', async () => {
  await handler(asked('Delete'), PLENTY);
  const executions = ['weft-a', 'weft-b', 'weft-c'].map((name) =>
    `${arnOf(name)}:waiting`.replace('stateMachine', 'execution'),
  );
  expect(stopped).toEqual(executions.map((execution) => `${execution} Weft.Removed`));
});

test('what takes longer than a call is continued by the next one, and CloudFormation gets one answer', async () => {
  await handler(asked('Delete'), timeFor(3));
  expect(answers).toEqual([]);
  expect(deleted.length).toBeLessThan(3);
  const [next] = again;
  if (next === undefined) throw new Error('it was not called again');
  await handler(next, PLENTY);
  expect(deleted).toEqual(expect.arrayContaining(['weft-a', 'weft-b', 'weft-c'].map(arnOf)));
  expect(answers).toMatchObject([{ Status: 'SUCCESS' }]);
});

test('after an hour, CloudFormation gets the reason why there are resources left', async () => {
  await handler({ ...asked('Delete'), call: 4 }, timeFor(1));
  expect(again).toEqual([]);
  expect(answers).toMatchObject([{ Status: 'FAILED', Reason: expect.stringContaining('delete the stack again') }]);
});

/** A function of 15 minutes, by the time that deletions take. */
function life(): Parameters<typeof handler>[1] {
  const began = passedMs;
  return { ...PLENTY, getRemainingTimeInMillis: () => 900_000 - (passedMs - began) };
}

/** Deletes a stack as CloudFormation does: its resources one after the other, until one fails. */
async function deleteStack(properties: readonly object[]): Promise<object[]> {
  const found: object[] = [];
  for (const more of properties) {
    const first = asked('Delete');
    const began = passedMs;
    let calls = 0;
    let event: Parameters<typeof handler>[0] | undefined = {
      ...first,
      ResourceProperties: { ...first.ResourceProperties, ...more },
    };
    for (; event !== undefined; event = again.shift()) {
      const start = passedMs;
      await handler(event, life());
      expect(passedMs - start).toBeLessThan(900_000);
      calls += 1;
    }
    expect(passedMs - began).toBeLessThan(3_600_000);
    const status = answers.at(-1)?.['Status'];
    found.push({ calls, status });
    if (status === 'FAILED') break;
  }
  return found;
}

const [MADE, HOUR_2, HOUR_3] = [{ next: 'true' }, { continues: 'true', next: 'true' }, { continues: 'true' }];

// At one deletion a second, as 125 machines at one in 80 seconds: fewer requests, and the same time.
test('10,000 machines are deleted by one deletion of a stack with three resources, each of at most four calls within an hour', async () => {
  machines = Array.from({ length: 125 }, (_, n) => `weft-${n}`);
  [pageSize, deletionMs] = [100, 80_000];
  expect(await deleteStack([MADE, HOUR_2, HOUR_3])).toEqual([
    { calls: 4, status: 'SUCCESS' },
    { calls: 4, status: 'SUCCESS' },
    { calls: 4, status: 'SUCCESS' },
  ]);
  expect([deleted.length, new Set(deleted).size, answers.length]).toEqual([125, 125, 3]);
});

test('the roll-back of an update that added further resources deletes no machine', async () => {
  expect(await deleteStack([HOUR_2, HOUR_3])).toEqual([
    { calls: 1, status: 'SUCCESS' },
    { calls: 1, status: 'SUCCESS' },
  ]);
  expect(deleted).toEqual([]);
});

test('what is left after the last resource is deleted by another deletion of the stack', async () => {
  machines = Array.from({ length: 125 }, (_, n) => `weft-${n}`);
  [pageSize, deletionMs] = [100, 80_000];
  expect(await deleteStack([MADE, HOUR_3])).toEqual([
    { calls: 4, status: 'SUCCESS' },
    { calls: 4, status: 'FAILED' },
  ]);
  expect(await deleteStack([HOUR_3])).toEqual([{ calls: 4, status: 'SUCCESS' }]);
  expect(new Set(deleted).size).toBe(125);
});
