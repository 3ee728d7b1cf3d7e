import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { dataOf, ofType, type Resource, resourcesOf } from './stack.ts';

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

/** The source text of a function. */
const sourceOf = (name: string): string => {
  const [path = ''] = globSync(`functions/*/${name}.ts`);
  return readFileSync(path, 'utf8');
};

/** The rights of a function. */
const mayDo = (name: string): string[] =>
  policies
    .filter(({ role }) => role.includes(`"Functions${name}Role`))
    .flatMap((policy) => policy.statements.flatMap(actionsOf));

describe('functions', () => {
  const functions = ofType(resources, 'AWS::Lambda::Function');

  test('run on Node 24 on arm64, each with its own log group and role', () => {
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

  test('have the environment variables that the adapters read', () => {
    const environments = functions
      .filter(([id]) => id.startsWith('Functions'))
      .map(([, { Properties }]) =>
        Object.keys((Properties['Environment'] as { Variables: object }).Variables).toSorted(),
      );
    expect(environments.length).toBeGreaterThan(1);
    for (const names of environments) {
      expect(names).toEqual([
        'WEFT_AUDIT',
        'WEFT_BRAND',
        'WEFT_BUCKET',
        'WEFT_BUS',
        'WEFT_CATALOG',
        'WEFT_CONTAINER_LOGS',
        'WEFT_CONTAINER_MACHINE',
        'WEFT_CONTAINER_PREFIX',
        'WEFT_CONTAINER_REPOSITORY',
        'WEFT_CONTAINER_ROLE',
        'WEFT_CRON',
        'WEFT_DELAY_MACHINE',
        'WEFT_EVENT_SOURCE',
        'WEFT_FAILED',
        'WEFT_JOURNAL',
        'WEFT_KEY_PARAMETER',
        'WEFT_MACHINE_LOGS',
        'WEFT_MACHINE_ROLE',
        'WEFT_MAX_DESCENDANTS',
        'WEFT_PREFIX',
        'WEFT_RETENTION_DAYS',
        'WEFT_ROOT_KEY',
        'WEFT_RUNS',
        'WEFT_SCHEDULE_GROUP',
        'WEFT_SCHEDULE_ROLE',
        'WEFT_START_BUDGET_MS',
        'WEFT_STEPS',
        'WEFT_STREAMING',
        'WEFT_TIMER_GROUP',
        'WEFT_TIMER_ROLE',
        'WEFT_VERSION',
      ]);
    }
  });

  test('a request that may wait for a workflow has the longest timeout of streamed replies', () => {
    const timeouts = (settings: Record<string, string>) => {
      const tree = ofType(resourcesOf(settings), 'AWS::Lambda::Function').find(([id]) =>
        id.startsWith('Functionstree'),
      );
      return tree?.[1].Properties['Timeout'];
    };
    expect(timeouts({})).toBe(900);
    expect(timeouts({ streaming: 'false' })).toBe(29);
  });

  test('every log group has the retention of the settings', () => {
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

/** The AWS services of the ports; other ports have none. */
const SERVICES: Record<string, readonly string[]> = {
  table: ['dynamodb'],
  blobs: ['s3'],
  vault: ['ssm'],
  sealer: ['ssm'],
  executions: ['states', 'iam'],
  bus: ['events', 'states'],
  schedules: ['scheduler', 'iam'],
  timers: ['scheduler', 'iam'],
};
SERVICES['everything'] = Object.values(SERVICES).flat();
SERVICES['containers'] = ['states'];
SERVICES['calledContainers'] = ['states', 'lambda'];
SERVICES['reconcileRevision'] = ['dynamodb', 'ssm', 'lambda', 'ecr', 'iam'];
// Besides requests, only the reconciler and ticks of moved workflows create and delete schedules.
SERVICES['enginePorts'] = ['table', 'blobs', 'executions', 'bus'].flatMap((port) => SERVICES[port] ?? []);

/** Rights besides those of ports: asynchronous functions send their dead letters to the function that stores them. */
const BESIDE: Record<string, readonly string[]> = {
  lifecycle: ['lambda'],
  sweep: ['lambda', 'scheduler'],
  router: ['lambda'],
  cron: ['lambda', 'scheduler'],
  failures: ['sqs'],
};

describe('rights', () => {
  test('no action is a wildcard', () => {
    expect(statements.length).toBeGreaterThan(10);
    expect(statements.flatMap(actionsOf).filter((action) => action.includes('*'))).toEqual([]);
  });

  test('only log delivery, lists for the deletion of the stack, the quota of calls and the registry token have all resources', () => {
    const everywhere = statements.filter(({ Resource }) => [Resource].flat().includes('*'));
    const actions = everywhere.flatMap(actionsOf).filter((action) => !action.startsWith('logs:'));
    expect(actions.toSorted()).toEqual([
      'ecr:GetAuthorizationToken',
      'lambda:GetAccountSettings',
      'lambda:ListFunctions',
      'states:ListStateMachines',
    ]);
  });

  test.each(names)('%s has exactly the rights of the ports that its file needs', (name) => {
    const source = sourceOf(name);
    const ports = /import \{([^}]*)\} from '..\/..\/lib\/adapters\/aws\/deployed.ts'/.exec(source)?.[1] ?? '';
    const wanted = ports.split(',').flatMap((port) => SERVICES[port.trim()] ?? []);
    const services = new Set(mayDo(name).map((action) => action.split(':')[0]));
    const expected = new Set(['logs', ...wanted, ...(BESIDE[name] ?? [])]);
    expect([...services].toSorted()).toEqual([...expected].toSorted());
  });

  test('no Lambda of the service can change or delete the administrator’s key', () => {
    const changing = statements.flatMap(actionsOf).filter((action) => /^ssm:(?!Get)/.test(action));
    expect(changing).toEqual([]);
  });

  /** The functions with an action on a resource with this suffix. */
  const whoMay = (own: Record<string, Resource>, action: string, resource: string): string[] =>
    ofType(own, 'AWS::IAM::Policy')
      .filter(([, { Properties }]) =>
        (Properties['PolicyDocument'] as { Statement: Statement[] }).Statement.some(
          (statement) => actionsOf(statement).includes(action) && JSON.stringify(statement.Resource).includes(resource),
        ),
      )
      .map(([, { Properties }]) => /"(?:Functions)?(\w+?)Role/.exec(JSON.stringify(Properties['Roles']))?.[1] ?? '')
      .toSorted();
  /** The functions that store secrets, that pull images, and that run states, which use secrets. */
  const SEALERS = [
    'containers',
    'cron',
    'events',
    'registries',
    'router',
    'secrets',
    'services',
    'steps',
    'tree',
    'workers',
  ];

  test('only functions that store secrets, run states or pull images can read the root key', () => {
    expect(whoMay(resources, 'ssm:GetParameter', ':parameter/weft/root-key"')).toEqual(SEALERS);
    expect(whoMay(dataOf(), 'ssm:PutParameter', ':parameter/weft/root-key"')).toEqual(['KeyMaker']);
    expect(whoMay(resources, 'ssm:GetParameter', ':parameter/weft"')).toEqual(expect.arrayContaining(['instances']));
  });

  const rootKeyOf = (own: Record<string, Resource>): string => {
    const steps = ofType(own, 'AWS::Lambda::Function').find(([name]) => name.startsWith('Functionssteps'))?.[1];
    const environment = steps?.Properties['Environment'] as { readonly Variables: Record<string, string> } | undefined;
    return environment?.Variables['WEFT_ROOT_KEY'] ?? '';
  };
  const usesOf = (own: Record<string, Resource>): Statement[] =>
    ofType(own, 'AWS::IAM::Policy')
      .flatMap(([, { Properties }]) => (Properties['PolicyDocument'] as { Statement: Statement[] }).Statement)
      .filter((statement) => actionsOf(statement).includes('kms:Decrypt'));

  test('`kms=true` allows only the same functions to use the KMS key, by its alias', () => {
    const own = resourcesOf({ kms: 'true' });
    expect(whoMay(own, 'kms:Decrypt', ':key/*"')).toEqual(SEALERS);
    expect(usesOf(own).map(({ Condition }) => Condition)).toEqual(
      SEALERS.map(() => ({ StringEquals: { 'kms:RequestAlias': 'alias/weft' } })),
    );
    expect(rootKeyOf(own)).toBe('alias/weft');
    expect(whoMay(own, 'ssm:GetParameter', 'root-key"')).toEqual([]);
  });

  test('only the same functions can use an existing key', () => {
    const key = 'arn:aws:kms:eu-west-1:123456789012:key/0a1b';
    const own = resourcesOf({ kms: key });
    expect(whoMay(own, 'kms:Encrypt', `"${key}"`)).toEqual(SEALERS);
    expect(rootKeyOf(own)).toBe(key);
    const parameter = resourcesOf({ rootKey: '/keys/flows' });
    expect(whoMay(parameter, 'ssm:GetParameter', ':parameter/keys/flows"')).toEqual(SEALERS);
    expect(rootKeyOf(parameter)).toBe('/keys/flows');
  });

  test('only Step Functions, the scheduler and Lambda get roles, each its own', () => {
    const passing = statements.filter((statement) => actionsOf(statement).includes('iam:PassRole'));
    expect(passing.length).toBeGreaterThan(0);
    const passed = passing.map(({ Condition, Resource }) => `${JSON.stringify(Resource)} ${JSON.stringify(Condition)}`);
    expect([...new Set(passed)].toSorted()).toEqual([
      expect.stringMatching(/"SchedulesRole.*"TimersRole.*"iam:PassedToService":"scheduler.amazonaws.com"/),
      expect.stringMatching(/"ContainersRole.*"iam:PassedToService":"lambda.amazonaws.com"/),
      expect.stringMatching(/"MachinesRole.*"iam:PassedToService":"states.amazonaws.com"/),
      expect.stringMatching(/"SchedulesRole.*"iam:PassedToService":"scheduler.amazonaws.com"/),
      expect.stringMatching(/"TimersRole.*"iam:PassedToService":"scheduler.amazonaws.com"/),
    ]);
  });

  test('machines may only call the steps function', () => {
    const own = policies.find(({ role }) => role.includes('MachinesRole'))?.statements ?? [];
    expect(own.flatMap(actionsOf).filter((action) => !action.startsWith('logs:'))).toEqual(['lambda:InvokeFunction']);
    expect(JSON.stringify(own)).toContain(':function:weft-steps');
  });
});

test('the deletion of the machines goes on in one custom resource an hour, and the last one reports what is left', () => {
  const all = ofType(resources, 'Custom::MadeWhileRunning') as [string, Resource & { DependsOn: string[] }][];
  const ids = new Map(
    all.map(([id, { DependsOn }]) => [id, DependsOn.filter((other) => all.some(([one]) => one === other))]),
  );
  const order: string[] = [];
  // CloudFormation deletes a resource when nothing depends on it any more.
  while (ids.size > 0) {
    const free = [...ids.keys()].filter((id) => ![...ids.values()].some((others) => others.includes(id)));
    expect(free).toHaveLength(1);
    for (const id of free) ids.delete(id);
    order.push(...free);
  }
  const propertiesOf = (id: string) => resources[id]?.Properties ?? {};
  expect(order.map((id) => propertiesOf(id)['next'])).toEqual(['true', 'true', undefined]);
  // The roll-back of an update that added the others deletes them too: they act only after the first one.
  expect(order.map((id) => propertiesOf(id)['continues'])).toEqual([undefined, 'true', 'true']);
  expect(order[0]).toContain('Made');
  expect(
    new Set(order.map((id) => JSON.stringify([propertiesOf(id)['prefix'], propertiesOf(id)['ServiceTimeout']]))).size,
  ).toBe(1);
});
