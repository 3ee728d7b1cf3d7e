import { expect, test } from 'vitest';
import { makeApp, ofType, type Resource, resourcesIn } from './stack.ts';

const KEY = 'arn:aws:kms:eu-west-1:123456789012:key/0a1b';
const { data, stack } = makeApp({ encryptionKey: KEY, inbound: '[{"namespace": "a", "pattern": {"source": ["b"]}}]' });
const [dataResources, service] = [resourcesIn(data), resourcesIn(stack)];
const all: Record<string, Resource> = { ...service, ...dataResources };

test.each([
  ['AWS::DynamoDB::Table', 3, { SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: KEY } }],
  ['AWS::Logs::LogGroup', 20, { KmsKeyId: KEY }],
  ['AWS::SQS::Queue', 1, { KmsMasterKeyId: KEY, KmsDataKeyReusePeriodSeconds: 86_400 }],
  [
    'AWS::S3::Bucket',
    1,
    {
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          {
            BucketKeyEnabled: true,
            ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: KEY },
          },
        ],
      },
    },
  ],
])('`encryptionKey` encrypts each %s', (type, least, properties) => {
  const found = ofType(all, type);
  expect(found.length).toBeGreaterThanOrEqual(least);
  for (const [, resource] of found) expect(resource.Properties).toMatchObject(properties);
});

test('each role that uses tables, bucket or queue may use the key by these services alone', () => {
  const policies = ofType(all, 'AWS::IAM::Policy').map(([id, { Properties }]) => [id, JSON.stringify(Properties)]);
  const users = policies.filter(([, text]) =>
    /dynamodb:GetItem|s3:GetObject|sqs:(Send|Receive)Message/.test(text ?? ''),
  );
  expect(users.length).toBeGreaterThan(15);
  for (const [id, text = ''] of users) {
    const statement = /\{[^{}]*"kms:Decrypt".*?"Resource":"[^"]*key\/0a1b"/.exec(text)?.[0] ?? '';
    expect([id, statement.match(/kms:[A-Z]\w+(?=",|"\])/g)]).toEqual([
      id,
      ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'],
    ]);
  }
  const uses = JSON.stringify(all).match(/"kms:ViaService":\[.*?\]\]\}\]/g) ?? [];
  expect(new Set(uses).size).toBe(1);
});

test('without `encryptionKey`, no role may use a key', () => {
  const plain = makeApp();
  expect(JSON.stringify([resourcesIn(plain.data), resourcesIn(plain.stack)])).not.toContain('"kms:');
});
