import { describe, expect, test } from 'vitest';
import { makeApp, ofType, type Resource, resourcesIn } from './stack.ts';

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

/** Logical ids end with a hash of eight letters, which is removed. */
const plain = (id: string): string => id.replace(/[0-9A-F]{8}$/, '');

/** A value of a template in readable form: `<Bus>` is the ARN or the name of that resource. */
function wordsOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const { Ref, 'Fn::GetAtt': got, 'Fn::Join': join } = value as Record<string, string & [string, unknown[]]>;
  if (join !== undefined) return join[1].map(wordsOf).join(join[0]);
  if (got !== undefined) return `<${plain(String(got[0]))}>`;
  if (Ref !== undefined) return `<${plain(Ref).replace('AWS::', '')}>`;
  const fields = Object.entries(value).map(([key, one]) => `${key} ${wordsOf(one)}`);
  return Array.isArray(value) ? value.map(wordsOf).join(' or ') : fields.toSorted().join(' and ');
}

const shortened = (arn: string): string =>
  arn
    .replace('arn:<Partition>:', '')
    .replace(/<Region>:<AccountId>:/, '')
    .replace(/:::/, ':');

function linesOf({ Action, Resource, Condition, Effect }: Statement): string[] {
  const actions = [Action].flat().toSorted().join(' ');
  const where = [Resource].flat().map((one) => shortened(wordsOf(one)));
  const when = Condition === undefined ? '' : `  if ${wordsOf(Condition)}`;
  return [
    `  ${Effect === 'Allow' ? '' : `${Effect} `}${actions}`,
    ...where.toSorted().map((one) => `    on ${one}`),
    ...(when ? [when] : []),
  ];
}

/** Each role with its principal, actions and resources, in an order that depends only on the rights. */
function rightsOf(resources: Record<string, Resource>): string {
  const policies = ofType(resources, 'AWS::IAM::Policy').map(([, { Properties }]) => Properties);
  const sections = ofType(resources, 'AWS::IAM::Role').map(([id, { Properties }]) => {
    const own = policies.filter(({ Roles }) => JSON.stringify(Roles).includes(`"${id}"`));
    const statements = [...own, ...((Properties['Policies'] ?? []) as Record<string, unknown>[])].flatMap(
      ({ PolicyDocument }) => (PolicyDocument as { Statement: Statement[] }).Statement,
    );
    const [trust] = (
      Properties['AssumeRolePolicyDocument'] as { Statement: { Principal: object; Condition?: unknown }[] }
    ).Statement;
    const managed = ((Properties['ManagedPolicyArns'] ?? []) as unknown[]).map((one) => `  all of ${wordsOf(one)}`);
    const taken = `${plain(id)}, taken by ${wordsOf(Object.values(trust?.Principal ?? {})[0])}`;
    const when = trust?.Condition === undefined ? [] : [`  only if ${wordsOf(trust.Condition)}`];
    return [taken, ...when, ...managed, ...statements.map(linesOf).toSorted().flat()].join('\n');
  });
  return `${sections.toSorted().join('\n\n')}\n`;
}

describe('the rights of every role', () => {
  test.each([
    ['the-service', 'stack', {}],
    ['the-data', 'data', {}],
    ['the-data-that-goes', 'data', { retain: 'false' }],
    ['the-service-with-everything', 'stack', { kms: 'true', tracing: 'true', alarms: 'ada@example.com' }],
  ] as const)('are equal to the file: %s', async (name, which, settings) => {
    const rights = rightsOf(resourcesIn(makeApp(settings)[which]));
    expect(rights).not.toMatch(/[0-9A-F]{8}>/);
    await expect(rights).toMatchFileSnapshot(`./rights/${name}.txt`);
  });

  const sectionOf = (role: string, settings = {}): string =>
    rightsOf(resourcesIn(makeApp(settings).stack))
      .split('\n\n')
      .find((section) => section.startsWith(`${role},`)) ?? '';

  test.each(['metrics', 'logs', 'system'])('let the function %s write the journal alone', (name) => {
    const tables = sectionOf(`Functions${name}Role`).matchAll(/dynamodb:PutItem.*\n((?: {4}on .*\n)+)/g);
    expect(Array.from(tables, ([, on]) => on?.trim())).toEqual(['on dynamodb:table/weft-journal']);
  });

  test('let only the function of the API keys write their partition', () => {
    const guard = 'if ForAllValues:StringNotEquals dynamodb:LeadingKeys api-keys';
    expect(sectionOf('FunctionskeysRole')).not.toContain(guard);
    const writers = rightsOf(resourcesIn(makeApp().stack)).split('\n\n');
    const unguarded = writers.filter((section) =>
      section
        .split(/\n(?= {2}\w)/)
        .some((one, index, all) => /PutItem.*weft-catalog/s.test(one) && all[index + 1]?.trim() !== guard),
    );
    expect(unguarded.map((section) => section.split(',')[0])).toEqual(['FunctionskeysRole', 'UpgradeMigrationRole']);
  });

  test.each([
    'FailedEmptyingRole',
    'BusDelayRole',
    'ContainersMachineRole',
    'MachinesRole',
    'SchedulesRole',
    'TimersRole',
  ])('let a service take %s only for a resource of the account', (role) => {
    expect(sectionOf(role)).toMatch(/only if .*StringEquals aws:SourceAccount <AccountId>/);
  });

  test('decrypt a root key in a parameter of yours that is encrypted with any key of yours', () => {
    const rights = sectionOf('FunctionssecretsRole', { rootKey: '/our/root-key' });
    expect(rights).toContain('kms:Decrypt\n    on kms:key/*\n  if StringEquals kms:EncryptionContext:PARAMETER_ARN');
    expect(rights).toContain('parameter/our/root-key and kms:ViaService ssm.<Region>.amazonaws.com');
  });
});
