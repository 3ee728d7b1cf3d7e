import { describe, expect, test } from 'vitest';
import { tableSchemas } from '../../lib/adapters/portable/schema.ts';
import { dataOf, makeApp, ofType, type Resource, resourcesIn } from './stack.ts';

const resources = dataOf();
const only = (own: Record<string, Resource>, type: string): Resource => {
  const [first, ...others] = ofType(own, type);
  if (first === undefined || others.length > 0) throw new Error(`not one resource ${type}`);
  return first[1];
};
const keptIn = (own: Record<string, Resource>): string[] =>
  Object.values(own)
    .filter(({ DeletionPolicy }) => DeletionPolicy === 'Retain')
    .map(({ Type }) => Type)
    .toSorted();

describe('tables', () => {
  const tables = ofType(resources, 'AWS::DynamoDB::Table');
  const named = (name: string) => tables.find(([id]) => id.startsWith(`Tables${name}`))?.[1];

  test.each(Object.entries(tableSchemas))('%s has the keys, indexes and expiry of its schema', (name, schema) => {
    const table = named(name)?.Properties;
    expect(table).toMatchObject({
      TableName: `weft-${name}`,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
    });
    const indexes = (table?.['GlobalSecondaryIndexes'] ?? []) as { IndexName: string }[];
    expect(indexes.map(({ IndexName }) => IndexName)).toEqual(Object.keys(schema.indexes));
  });

  test.each(Object.keys(tableSchemas))('%s is retained and protected, and can be restored to any second', (name) => {
    expect(named(name)).toMatchObject({
      DeletionPolicy: 'Retain',
      UpdateReplacePolicy: 'Retain',
      Properties: {
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      },
    });
  });

  test('`protect=false` leaves the data retained, without protection and backups', () => {
    const own = dataOf({ protect: 'false' });
    for (const [, table] of ofType(own, 'AWS::DynamoDB::Table')) {
      expect(table).toMatchObject({
        DeletionPolicy: 'Retain',
        Properties: {
          DeletionProtectionEnabled: false,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false },
        },
      });
    }
    expect(only(own, 'AWS::S3::Bucket').Properties).not.toHaveProperty('VersioningConfiguration');
  });

  test('all that outlives the stack is retained', () => {
    expect(keptIn(resources)).toEqual([
      'AWS::DynamoDB::Table',
      'AWS::DynamoDB::Table',
      'AWS::DynamoDB::Table',
      'AWS::S3::Bucket',
      'Custom::AdminKey',
      'Custom::RootKey',
    ]);
  });

  test('`retain=false` deletes everything with the stacks, except the account-wide role of API Gateway', () => {
    const { data, stack } = makeApp({ retain: 'false' });
    expect(keptIn(resourcesIn(data))).toEqual([]);
    expect(keptIn(resourcesIn(stack))).toEqual(['AWS::ApiGateway::Account', 'AWS::IAM::Role']);
  });
});

describe('the bucket', () => {
  test('rejects requests without TLS and public access', () => {
    expect(only(resources, 'AWS::S3::Bucket').Properties).toMatchObject({
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      LifecycleConfiguration: {
        Rules: [
          { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } },
          { Prefix: 'calls/', ExpirationInDays: 1, Status: 'Enabled' },
          { Prefix: 'runs/', ExpirationInDays: 1095, Status: 'Enabled' },
          { Prefix: 'events/', ExpirationInDays: 1095, Status: 'Enabled' },
          { NoncurrentVersionExpiration: { NoncurrentDays: 35 }, ExpiredObjectDeleteMarker: true, Status: 'Enabled' },
          { Prefix: 'calls/', NoncurrentVersionExpiration: { NoncurrentDays: 1 }, Status: 'Enabled' },
        ],
      },
      VersioningConfiguration: { Status: 'Enabled' },
    });
    expect(JSON.stringify(only(resources, 'AWS::S3::BucketPolicy'))).toContain('{"aws:SecureTransport":"false"}');
  });

  test('is emptied before it is deleted, and not if it is retained', () => {
    const gone = dataOf({ retain: 'false' });
    const [bucketId] = ofType(gone, 'AWS::S3::Bucket')[0] ?? [];
    const emptied = only(gone, 'Custom::MadeWhileRunning');
    expect(emptied.Properties['bucket']).toEqual(only(gone, 'AWS::S3::Bucket').Properties['BucketName']);
    expect(emptied).toMatchObject({ DependsOn: expect.arrayContaining([bucketId]) });
    // Only its properties differ, so that a change to `retain=true` empties no bucket.
    const kept = only(resources, 'Custom::MadeWhileRunning');
    expect(kept.Properties['name']).toBe(emptied.Properties['name']);
    expect(kept.Properties).not.toHaveProperty('bucket');
  });
});

describe('keys', () => {
  test.each([
    ['Custom::AdminKey', { name: '/weft', kind: 'admin' }],
    ['Custom::RootKey', { name: '/weft/root-key', kind: 'root' }],
  ])('%s is created after the rights of its function', (type, properties) => {
    expect(only(resources, type)).toMatchObject({
      Properties: properties,
      DependsOn: expect.arrayContaining([expect.stringMatching(/^KeyMakerRoleDefaultPolicy/)]),
    });
  });

  test('`kms=true` creates a key with rotation and an alias, and retains it', () => {
    const own = dataOf({ kms: 'true' });
    const [[id] = []] = ofType(own, 'AWS::KMS::Key');
    expect(only(own, 'AWS::KMS::Key')).toMatchObject({
      DeletionPolicy: 'Retain',
      Properties: { EnableKeyRotation: true },
    });
    expect(only(own, 'AWS::KMS::Alias').Properties).toEqual({
      AliasName: 'alias/weft',
      TargetKeyId: { 'Fn::GetAtt': [id, 'Arn'] },
    });
    expect(ofType(own, 'Custom::RootKey')).toEqual([]);
  });

  test.each([{ kms: 'arn:aws:kms:eu-west-1:123456789012:key/0a1b' }, { rootKey: '/keys/flows' }])(
    'a key of one’s own is left to its owner (%o)',
    (settings) => {
      const own = dataOf(settings);
      expect([...ofType(own, 'AWS::KMS::Key'), ...ofType(own, 'Custom::RootKey')]).toEqual([]);
    },
  );
});

describe('two stacks', () => {
  const textOf = (value: unknown): string => JSON.stringify(value);

  test('have no exports and imports, so that neither blocks the other', () => {
    const { app } = makeApp({ kms: 'true' });
    const templates = app.synth().stacks.map(({ template }) => template as Record<string, unknown>);
    expect(templates).toHaveLength(2);
    for (const template of templates) {
      expect(textOf(template)).not.toMatch(/Fn::ImportValue|Fn::GetStackOutput|"Export"/);
      expect(Object.keys((template['Parameters'] ?? {}) as object)).toEqual(['BootstrapVersion']);
    }
  });

  test('the data is deployed first and deleted last', () => {
    const { app } = makeApp();
    const { stacks } = app.synth();
    expect(stacks.map(({ stackName }) => stackName)).toEqual(['weft-data', 'weft']);
    const [data, service] = stacks;
    expect(service?.dependencies.map(({ id }) => id)).toContain(data?.id);
    expect(data?.dependencies.map(({ id }) => id)).not.toContain(service?.id);
  });

  test('the service has outputs with its URL and the command for its key', () => {
    const { app } = makeApp({ name: 'flows' });
    const { Outputs } = app.synth().getStackByName('flows').template as { Outputs: Record<string, object> };
    expect(Object.keys(Outputs).toSorted()).toEqual(['ShowKey', 'Url']);
    expect(Outputs['ShowKey']).toMatchObject({ Value: expect.stringMatching(/--name \/flows$/) });
  });

  test('the service uses the names of the data', () => {
    const { data, stack } = makeApp({ name: 'flows' });
    const steps = ofType(resourcesIn(stack), 'AWS::Lambda::Function').find(([id]) => id.startsWith('Functionssteps'));
    const environment = steps?.[1].Properties['Environment'] as { readonly Variables: Record<string, unknown> };
    const { Variables } = environment;
    const made = resourcesIn(data);
    const names = ofType(made, 'AWS::DynamoDB::Table').map(([, { Properties }]) => Properties['TableName']);
    expect([Variables['WEFT_CATALOG'], Variables['WEFT_RUNS'], Variables['WEFT_JOURNAL']]).toEqual(names);
    expect(Variables['WEFT_BUCKET']).toEqual(only(made, 'AWS::S3::Bucket').Properties['BucketName']);
    expect(Variables['WEFT_KEY_PARAMETER']).toBe(only(made, 'Custom::AdminKey').Properties['name']);
    expect(Variables['WEFT_ROOT_KEY']).toBe(only(made, 'Custom::RootKey').Properties['name']);
  });

  test('the data stack has termination protection unless `protect=false`', () => {
    const protections = (settings: object) =>
      app(settings).map(({ terminationProtection }) => terminationProtection === true);
    const app = (settings: object) => makeApp(settings as Record<string, string>).app.synth().stacks;
    expect(protections({})).toEqual([true, false]);
    expect(protections({ protect: 'false' })).toEqual([false, false]);
  });

  test('two installations have no name in common', () => {
    /** The names of resources with names of their own, as texts or with references in them. */
    const namesOf = (name: string): string[] => {
      const { data, stack } = makeApp({ name, alarms: 'ada@example.com', dashboard: 'true', kms: 'true' });
      const all = [...Object.values(resourcesIn(data)), ...Object.values(resourcesIn(stack))];
      const named = all.filter(({ Type }) => !/IAM::Policy|Permission|Alias|EventInvoke|MetricFilter|Stage/.test(Type));
      const names = named.flatMap(({ Type, Properties }) =>
        Object.entries(Properties).flatMap(([key, value]) =>
          /^((?!Metric)\w*Name|name)$/.test(key) && !/"Fn::GetAtt"|^{"Ref"/.test(textOf(value))
            ? [`${Type} ${textOf(value)}`]
            : [],
        ),
      );
      return names;
    };
    const [one, other] = [namesOf('flows'), namesOf('flows-2')];
    expect(one.length).toBeGreaterThan(15);
    expect(one.filter((text) => other.includes(text))).toEqual([]);
  });

  test('tags are on the stacks, on all their resources with tags, and on the machines of workflows', () => {
    const { app, data, stack } = makeApp({ tags: '{"team": "flows", "cost centre": "42"}' });
    expect(app.synth().stacks.map(({ tags }) => tags)).toEqual([
      { team: 'flows', 'cost centre': '42' },
      { team: 'flows', 'cost centre': '42' },
    ]);
    const all = [...Object.values(resourcesIn(data)), ...Object.values(resourcesIn(stack))];
    const types = ['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::Lambda::Function', 'AWS::Logs::LogGroup'];
    for (const { Type, Properties } of all.filter(({ Type }) => types.includes(Type))) {
      expect([Type, Properties['Tags']]).toEqual([Type, expect.arrayContaining([{ Key: 'team', Value: 'flows' }])]);
    }
    const text = JSON.stringify(all);
    expect(text).toContain(JSON.stringify('{"team":"flows","cost centre":"42"}'));
    expect(text).toContain('"states:TagResource"');
    expect(JSON.stringify(resourcesIn(makeApp().stack))).not.toMatch(/WEFT_TAGS|states:TagResource/);
  });
});
