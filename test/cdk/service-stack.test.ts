import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { tableSchemas } from '../../lib/adapters/aws/schema.ts';
import { makeApp, ofType, resourcesOf } from './stack.ts';

const resources = resourcesOf();
const properties = (type: string): Record<string, unknown>[] =>
  ofType(resources, type).map(([, { Properties }]) => Properties);

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

const policies = properties('AWS::IAM::Policy').map((policy) => ({
  role: JSON.stringify(policy['Roles']),
  statements: (policy['PolicyDocument'] as { Statement: Statement[] }).Statement,
}));
const statements = policies.flatMap((policy) => policy.statements);
const actionsOf = (statement: Statement): string[] => [statement.Action].flat();

/** What may be done with the resources of a function. */
const mayDo = (name: string): string[] =>
  policies
    .filter(({ role }) => role.includes(`"Functions${name}Role`))
    .flatMap((policy) => policy.statements.flatMap(actionsOf));

describe('an idle installation costs nothing', () => {
  test('it consists only of what is paid by use', () => {
    const types = [...new Set(Object.values(resources).map(({ Type }) => Type))].toSorted();
    expect(types).toEqual([
      'AWS::ApiGateway::Account',
      'AWS::ApiGateway::Deployment',
      'AWS::ApiGateway::GatewayResponse',
      'AWS::ApiGateway::Method',
      'AWS::ApiGateway::Resource',
      'AWS::ApiGateway::RestApi',
      'AWS::ApiGateway::Stage',
      'AWS::DynamoDB::Table',
      'AWS::Events::EventBus',
      'AWS::Events::Rule',
      'AWS::IAM::Policy',
      'AWS::IAM::Role',
      'AWS::Lambda::EventInvokeConfig',
      'AWS::Lambda::Function',
      'AWS::Lambda::Permission',
      'AWS::Logs::LogGroup',
      'AWS::S3::Bucket',
      'AWS::S3::BucketPolicy',
      'AWS::SQS::Queue',
      'AWS::SQS::QueuePolicy',
      'AWS::Scheduler::ScheduleGroup',
      'AWS::StepFunctions::StateMachine',
      'Custom::AdminKey',
    ]);
  });

  test('nothing of it is provisioned, cached ahead or encrypted with a key of its own', () => {
    const text = JSON.stringify(resources);
    for (const word of [
      'ProvisionedThroughput',
      'ProvisionedConcurrency',
      'WarmThroughput',
      'CacheClusterEnabled":true',
      'KmsKeyId',
      'KMSMasterKey',
      'KmsKeyArn',
      'VpcConfig',
    ]) {
      expect(text).not.toContain(word);
    }
    expect(properties('AWS::DynamoDB::Table').map((table) => table['BillingMode'])).toEqual(
      Object.keys(tableSchemas).map(() => 'PAY_PER_REQUEST'),
    );
  });
});

describe('tables', () => {
  const tables = ofType(resources, 'AWS::DynamoDB::Table');
  const named = (name: string) => tables.find(([id]) => id.startsWith(`Tables${name}`))?.[1];

  test.each(Object.entries(tableSchemas))('%s has the keys, indexes and expiry of its schema', (name, schema) => {
    const table = named(name)?.Properties;
    expect(table?.['KeySchema']).toEqual([
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ]);
    expect(table?.['TimeToLiveSpecification']).toEqual({ AttributeName: 'ttl', Enabled: true });
    const indexes = (table?.['GlobalSecondaryIndexes'] ?? []) as { IndexName: string }[];
    expect(indexes.map(({ IndexName }) => IndexName)).toEqual(Object.keys(schema.indexes));
  });

  test('what users made is kept and can be brought back; the rest goes with the stack', () => {
    expect(named('catalog')).toMatchObject({
      DeletionPolicy: 'Retain',
      Properties: {
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      },
    });
    expect(named('runs')?.DeletionPolicy).toBe('Delete');
    expect(named('journal')?.DeletionPolicy).toBe('Delete');
  });

  test('`retain=false` lets everything go with the stack', () => {
    const all = Object.values(resourcesOf({ retain: 'false' }));
    const kept = all.filter(({ DeletionPolicy }) => DeletionPolicy === 'Retain').map(({ Type }) => Type);
    expect(kept.toSorted()).toEqual(['AWS::ApiGateway::Account', 'AWS::IAM::Role']);
  });
});

describe('functions', () => {
  const functions = ofType(resources, 'AWS::Lambda::Function');

  test('run on Node 24 on arm64, with a log group and a role of their own', () => {
    const roles = functions.map(([, { Properties }]) => JSON.stringify(Properties['Role']));
    expect(new Set(roles).size).toBe(functions.length);
    for (const [, { Properties }] of functions) {
      expect(Properties).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        LoggingConfig: { LogFormat: 'JSON', LogGroup: expect.anything() },
      });
    }
  });

  test('find in their environment what the adapters read', () => {
    const environments = functions
      .filter(([id]) => id.startsWith('Functions'))
      .map(([, { Properties }]) =>
        Object.keys((Properties['Environment'] as { Variables: object }).Variables).toSorted(),
      );
    expect(environments.length).toBeGreaterThan(1);
    for (const names of environments) {
      expect(names).toEqual([
        'WEFT_BRAND',
        'WEFT_BUCKET',
        'WEFT_BUS',
        'WEFT_CATALOG',
        'WEFT_CRON',
        'WEFT_DELAY_MACHINE',
        'WEFT_EVENT_SOURCE',
        'WEFT_FAILED',
        'WEFT_JOURNAL',
        'WEFT_KEY_PARAMETER',
        'WEFT_MACHINE_LOGS',
        'WEFT_MACHINE_ROLE',
        'WEFT_PREFIX',
        'WEFT_RUNS',
        'WEFT_SCHEDULE_GROUP',
        'WEFT_SCHEDULE_ROLE',
        'WEFT_STEPS',
        'WEFT_STREAMING',
        'WEFT_VERSION',
      ]);
    }
  });

  test('a request that may wait for a workflow has as long as API Gateway streams', () => {
    const timeouts = (told: Record<string, string>) => {
      const tree = ofType(resourcesOf(told), 'AWS::Lambda::Function').find(([id]) => id.startsWith('Functionstree'));
      return tree?.[1].Properties['Timeout'];
    };
    expect(timeouts({})).toBe(900);
    expect(timeouts({ streaming: 'false' })).toBe(29);
  });

  test('every log group forgets, after the days that were asked for', () => {
    const days = properties('AWS::Logs::LogGroup').map((group) => group['RetentionInDays']);
    expect(days.length).toBeGreaterThan(functions.length);
    expect(new Set(days)).toEqual(new Set([30]));
    const asked = ofType(resourcesOf({ logDays: '7' }), 'AWS::Logs::LogGroup');
    expect(new Set(asked.map(([, group]) => group.Properties['RetentionInDays']))).toEqual(new Set([7]));
  });
});

const names = ofType(resources, 'AWS::Lambda::Function').flatMap(
  ([id]) => /^Functions(\w+?)Function/.exec(id)?.[1] ?? [],
);

/** What the ports stand for in AWS; the others stand for nothing. */
const SERVICES: Record<string, readonly string[]> = {
  table: ['dynamodb'],
  blobs: ['s3'],
  vault: ['ssm'],
  executions: ['states', 'iam'],
  bus: ['events', 'states'],
  schedules: ['scheduler', 'iam'],
};
SERVICES['everything'] = Object.values(SERVICES).flat();
// Schedules are set and removed by requests alone.
SERVICES['enginePorts'] = ['table', 'blobs', 'executions', 'bus'].flatMap((port) => SERVICES[port] ?? []);

/** What a Lambda may do beside its ports: one that nobody waits for puts failed calls into a queue. */
const BESIDE: Record<string, readonly string[]> = {
  lifecycle: ['sqs'],
  sweep: ['sqs'],
  router: ['sqs'],
  cron: ['sqs'],
};

describe('rights', () => {
  test('no action is given by a wildcard', () => {
    expect(statements.length).toBeGreaterThan(10);
    expect(statements.flatMap(actionsOf).filter((action) => action.includes('*'))).toEqual([]);
  });

  test('only log delivery is allowed everywhere', () => {
    const everywhere = statements.filter(({ Resource }) => [Resource].flat().includes('*'));
    expect(everywhere.flatMap(actionsOf).filter((action) => !action.startsWith('logs:'))).toEqual([]);
  });

  test.each(names)('%s may do what the ports need that its file asks for, and no more', (name) => {
    const source = readFileSync(new URL(`../../functions/${name}.ts`, import.meta.url), 'utf8');
    const ports = /import \{([^}]*)\} from '..\/lib\/adapters\/aws\/deployed.ts'/.exec(source)?.[1] ?? '';
    const wanted = ports.split(',').flatMap((port) => SERVICES[port.trim()] ?? []);
    const services = new Set(mayDo(name).map((action) => action.split(':')[0]));
    const expected = new Set(['logs', ...wanted, ...(BESIDE[name] ?? [])]);
    expect([...services].toSorted()).toEqual([...expected].toSorted());
  });

  test('no Lambda that answers requests can change or remove the administrative key', () => {
    const changing = policies.filter(({ statements: own }) => own.flatMap(actionsOf).includes('ssm:PutParameter'));
    expect(changing.map(({ role }) => role)).toEqual([expect.stringContaining('KeyMakerRole')]);
  });

  test('the administrative key is made once its maker may make it', () => {
    const [made] = Object.values(resources).filter(({ Type }) => Type === 'Custom::AdminKey');
    expect(made).toMatchObject({
      Properties: { name: '/weft' },
      DependsOn: expect.arrayContaining([expect.stringMatching(/^KeyMakerRoleDefaultPolicy/)]),
    });
  });

  test('roles are passed to Step Functions and the scheduler alone, each its own', () => {
    const passing = statements.filter((statement) => actionsOf(statement).includes('iam:PassRole'));
    expect(passing.length).toBeGreaterThan(0);
    const passed = passing.map(({ Condition, Resource }) => `${JSON.stringify(Resource)} ${JSON.stringify(Condition)}`);
    expect([...new Set(passed)].toSorted()).toEqual([
      expect.stringMatching(/"MachinesRole.*"iam:PassedToService":"states.amazonaws.com"/),
      expect.stringMatching(/"SchedulesRole.*"iam:PassedToService":"scheduler.amazonaws.com"/),
    ]);
  });

  test('machines may call the steps function and nothing else', () => {
    const own = policies.find(({ role }) => role.includes('MachinesRole'))?.statements ?? [];
    expect(own.flatMap(actionsOf).filter((action) => !action.startsWith('logs:'))).toEqual(['lambda:InvokeFunction']);
    expect(JSON.stringify(own)).toContain(':function:weft-steps');
  });

  test('the bucket turns away whoever comes without TLS, and the public', () => {
    const [bucket] = properties('AWS::S3::Bucket');
    expect(bucket).toMatchObject({
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      LifecycleConfiguration: { Rules: [{ AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } }] },
    });
    expect(JSON.stringify(properties('AWS::S3::BucketPolicy'))).toContain('{"aws:SecureTransport":"false"}');
  });
});

describe('settings', () => {
  test('a name of its own keeps an installation apart from another', () => {
    const text = JSON.stringify(resourcesOf({ name: 'flows', brand: 'direktiv' }));
    expect(text).toContain('"WEFT_PREFIX":"flows-"');
    expect(text).toContain('"WEFT_KEY_PARAMETER":"/flows"');
    expect(text).toContain('"WEFT_BRAND":"direktiv"');
    expect(text).not.toContain('weft-');
    expect(makeApp({ name: 'flows' }).stack.stackName).toBe('flows');
  });

  test.each([
    ['name', 'Has Spaces'],
    ['name', 'aws-weft'],
    ['brand', ''],
    ['streaming', 'maybe'],
    ['retain', '0'],
    ['logDays', '2'],
    ['logDays', 'many'],
    ['brand', 'aws'],
    ['inbound', 'orders'],
    ['inbound', '[{"namespace": "orders"}]'],
    ['outbound', '[{"target": "queue"}]'],
    ['outbound', '[{"target": "arn:aws:sqs:eu-west-1:1:q", "type": ["a"]}]'],
  ])('%s=%s is refused by name', (key, value) => {
    expect(() => makeApp({ [key]: value })).toThrow(`the context ${key}=`);
  });
});
