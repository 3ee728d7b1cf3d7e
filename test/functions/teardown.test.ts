import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handler } from '../../functions/deploy/teardown.ts';
import { type AwsRequest, type AwsServer, type Reply, startAwsServer } from '../adapters/aws/server.ts';

const arnOf = (name: string): string => `arn:aws:states:us-east-1:000000000000:stateMachine:${name}`;

/** A fake Step Functions with pages of one machine, and the responses that CloudFormation got. */
let machines: string[] = [];
const answers: Record<string, unknown>[] = [];
let isBroken = false;
let server: AwsServer;

const OPERATIONS: Record<string, (input: AwsRequest['input']) => Reply> = {
  ListStateMachines({ nextToken }) {
    const from = Number(nextToken ?? 0);
    const page = machines.slice(from, from + 2).map((name) => ({ name, stateMachineArn: arnOf(name) }));
    const next = from + 2 < machines.length ? { nextToken: String(from + 2) } : {};
    return { body: { stateMachines: page, ...next } };
  },
  DeleteStateMachine({ stateMachineArn }) {
    if (isBroken) return { status: 400, body: { __type: 'AccessDeniedException', message: 'refused' } };
    deleted.push(String(stateMachineArn));
    return {};
  },
};
const deleted: string[] = [];

function reply({ operation, input, bytes }: AwsRequest): Reply {
  const act = OPERATIONS[operation];
  if (act !== undefined) return act(input);
  answers.push(JSON.parse(Buffer.from(bytes).toString()));
  return {};
}

beforeEach(async () => {
  machines = ['weft-a', 'others', 'weft-b', 'weft-c', 'weft_delay'];
  deleted.length = 0;
  answers.length = 0;
  isBroken = false;
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

test('deleting the stack deletes the machines that the service made, and no others', async () => {
  await handler(asked('Delete'));
  expect(deleted).toEqual(['weft-a', 'weft-b', 'weft-c'].map(arnOf));
  expect(answers).toMatchObject([{ Status: 'SUCCESS', PhysicalResourceId: 'weft-' }]);
});

test('deleting a retained data stack deletes nothing, and responds under its name', async () => {
  const event = asked('Delete');
  await handler({ ...event, ResourceProperties: { ServiceToken: 'token', name: 'weft' } });
  expect(deleted).toEqual([]);
  expect(answers).toMatchObject([{ Status: 'SUCCESS', PhysicalResourceId: 'weft' }]);
});

test.each(['Create', 'Update'])('%s deletes none', async (type) => {
  await handler(asked(type));
  expect(deleted).toEqual([]);
  expect(answers).toMatchObject([{ Status: 'SUCCESS' }]);
});

test('CloudFormation gets the reason when a machine cannot be deleted', async () => {
  isBroken = true;
  await handler(asked('Delete'));
  expect(answers).toMatchObject([{ Status: 'FAILED', Reason: expect.stringContaining('refused') }]);
});
