import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { handler } from '../../functions/deploy/admin-key.ts';
import { type AwsRequest, type AwsServer, errorReply, type Reply, startAwsServer } from '../adapters/aws/server.ts';

/** A fake Parameter Store, and the responses that CloudFormation got. */
const parameters = new Map<unknown, AwsRequest['input']>();
const answers: Record<string, unknown>[] = [];
let isBroken = false;
let server: AwsServer;

const OPERATIONS: Record<string, (input: AwsRequest['input']) => Reply> = {
  PutParameter(input) {
    if (isBroken) return errorReply('AccessDeniedException');
    if (parameters.has(input['Name']) && input['Overwrite'] !== true) return errorReply('ParameterAlreadyExists');
    parameters.set(input['Name'], input);
    return { body: { Version: 1 } };
  },
  DeleteParameter: (input) => (parameters.delete(input['Name']) ? {} : errorReply('ParameterNotFound')),
};

function reply({ operation, input, bytes }: AwsRequest): Reply {
  const act = OPERATIONS[operation];
  if (act !== undefined) return act(input);
  answers.push(JSON.parse(Buffer.from(bytes).toString()));
  return {};
}

beforeEach(async () => {
  parameters.clear();
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

const asked = (RequestType: string, more: object = {}): CloudFormationCustomResourceEvent =>
  ({
    RequestType,
    ResponseURL: `${server.config.endpoint}/answer`,
    StackId: 'stack',
    RequestId: 'request',
    LogicalResourceId: 'logical',
    ResourceProperties: { ServiceToken: 'token', name: '/weft' },
    ...more,
  }) as unknown as CloudFormationCustomResourceEvent;

test('a new stack gets an encrypted parameter whose entry `apikey` is a key of 256 random bits', async () => {
  await handler(asked('Create'));
  const parameter = parameters.get('/weft');
  expect(parameter?.['Type']).toBe('SecureString');
  const { apikey } = JSON.parse(String(parameter?.['Value'])) as { apikey: string };
  expect(Buffer.from(apikey, 'base64url')).toHaveLength(32);
  const ids = { StackId: 'stack', RequestId: 'request', LogicalResourceId: 'logical' };
  expect(answers).toEqual([{ Status: 'SUCCESS', PhysicalResourceId: '/weft', ...ids }]);
});

test('a root key is 32 random bytes, in a parameter of its own', async () => {
  const properties = { ResourceProperties: { ServiceToken: 'token', name: '/weft/root-key', kind: 'root' } };
  await handler(asked('Create', properties));
  const first = parameters.get('/weft/root-key');
  expect(first?.['Type']).toBe('SecureString');
  expect(Buffer.from(String(first?.['Value']), 'base64')).toHaveLength(32);
  await handler(asked('Update', { ...properties, PhysicalResourceId: '/weft/root-key' }));
  expect(parameters.get('/weft/root-key')).toBe(first);
});

test.each(['Create', 'Update'])('%s keeps an existing key', async (type) => {
  parameters.set('/weft', { Value: '{"apikey":"mine"}' });
  await handler(asked(type, { PhysicalResourceId: '/weft' }));
  expect(parameters.get('/weft')).toEqual({ Value: '{"apikey":"mine"}' });
  expect(answers).toMatchObject([{ Status: 'SUCCESS', PhysicalResourceId: '/weft' }]);
});

test('another name makes another parameter, and CloudFormation deletes the old one', async () => {
  await handler(asked('Create'));
  await handler(asked('Update', { PhysicalResourceId: '/weft', ResourceProperties: { name: '/flows' } }));
  expect([...parameters.keys()]).toEqual(['/weft', '/flows']);
  await handler(asked('Delete', { PhysicalResourceId: '/weft', ResourceProperties: { name: '/flows' } }));
  expect([...parameters.keys()]).toEqual(['/flows']);
});

test('a stack whose parameter was deleted can be deleted', async () => {
  await handler(asked('Delete', { PhysicalResourceId: '/weft' }));
  expect(answers).toMatchObject([{ Status: 'SUCCESS' }]);
});

test('CloudFormation gets the reason of a failure', async () => {
  isBroken = true;
  await handler(asked('Create'));
  expect(answers).toMatchObject([{ Status: 'FAILED', Reason: 'refused: AccessDeniedException' }]);
});
