import { describe, expect, test } from 'vitest';
import { ofType, type Resource, resourcesOf } from './stack.ts';

const text = (value: unknown): string => JSON.stringify(value);
const aliasesIn = (all: Record<string, Resource>): [string, Resource][] => ofType(all, 'AWS::Lambda::Alias');
const functionOf = (alias: Resource): string =>
  /Functions(\w+?)Function/.exec(text(alias.Properties['FunctionName']))?.[1] ?? '';

describe('by default', () => {
  const all = resourcesOf({ inbound: '[{"namespace": "a", "pattern": {"source": ["b"]}}]' });

  test('the functions whose ARNs are stored by state machines and schedules have the alias `live`', () => {
    const aliases = aliasesIn(all);
    expect(aliases.map(([, alias]) => functionOf(alias)).toSorted()).toEqual(['containers', 'cron', 'steps']);
    for (const [, { Properties }] of aliases) {
      expect(Properties).toMatchObject({ Name: 'live', FunctionVersion: { 'Fn::GetAtt': expect.anything() } });
    }
  });

  test.each(['WEFT_STEPS', 'WEFT_CRON'])('%s, which is stored, names the alias', (variable) => {
    const [, found = ''] = new RegExp(`"${variable}":(\\{.*?\\]\\]\\})`).exec(text(all)) ?? [];
    expect(found).toMatch(/:function:weft-(steps|cron):live"\]\]\}$/);
  });

  test('machines, schedules and timers may call the alias, and nothing else', () => {
    const callers = ofType(all, 'AWS::IAM::Policy').filter(([id]) =>
      /^(Machines|Schedules|Timers|ContainersMachine)Role/.test(id),
    );
    expect(callers).toHaveLength(4);
    for (const [, { Properties }] of callers)
      expect(text(Properties)).toMatch(/function:weft-(steps|cron|containers):live/);
    expect(text(all)).not.toMatch(/function:weft-(steps|cron)"/);
  });

  test('an update moves the calls at once', () => {
    expect(ofType(all, 'AWS::CodeDeploy::DeploymentGroup')).toEqual([]);
  });
});

describe('`rollout`', () => {
  const all = resourcesOf({
    rollout: 'Linear10PercentEvery1Minute',
    alarms: 'ada@example.com',
    inbound: '[{"namespace": "a", "pattern": {"source": ["b"]}}]',
  });
  const groups = ofType(all, 'AWS::CodeDeploy::DeploymentGroup');

  test('moves the calls of each function but those of the deployment in steps, and back at an alarm of the code', () => {
    const functions = ofType(all, 'AWS::Lambda::Function').filter(([id]) => id.startsWith('Functions'));
    expect(groups).toHaveLength(functions.length);
    expect(groups.length).toBeGreaterThan(20);
    for (const [, { Properties }] of groups) {
      expect(Properties).toMatchObject({
        DeploymentConfigName: 'CodeDeployDefault.LambdaLinear10PercentEvery1Minute',
        AutoRollbackConfiguration: {
          Enabled: true,
          Events: expect.arrayContaining(['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM']),
        },
      });
      const alarms = text(Properties['AlarmConfiguration']).match(/Alarms\w+?[0-9A-F]{8}/g);
      expect(alarms?.map((id) => id.slice(0, -8))).toEqual(['AlarmsFaults', 'AlarmsDeliveries']);
    }
    for (const [, alias] of aliasesIn(all)) {
      expect(alias).toMatchObject({
        UpdatePolicy: { CodeDeployLambdaAliasUpdate: { DeploymentGroupName: expect.anything() } },
      });
    }
  });

  test('API, bus, rules and destinations call the aliases', () => {
    const called = [
      ...ofType(all, 'AWS::ApiGateway::Method').map(([, { Properties }]) => Properties['Integration']),
      ...ofType(all, 'AWS::Events::Rule')
        .filter(([id]) => !/^(Upgrade|Failed)/.test(id))
        .map(([, { Properties }]) => Properties['Targets']),
    ];
    expect(called.length).toBeGreaterThan(30);
    for (const one of called) expect(text(one)).toMatch(/Functions\w+Live[0-9A-F]{8}/);
    const configs = ofType(all, 'AWS::Lambda::EventInvokeConfig').filter(([id]) => id.startsWith('Functions'));
    for (const [, { Properties }] of configs) expect(text(Properties['Qualifier'])).toMatch(/Functions\w+Live/);
  });
});
