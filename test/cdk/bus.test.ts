import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test, vi } from 'vitest';
import { compile } from '../../lib/compiler/compile.ts';
import { ofType, type Resource, resourcesOf } from './stack.ts';

const validate = createRequire(import.meta.url)('asl-validator') as (definition: unknown) => { isValid: boolean };

const QUEUE = 'arn:aws:sqs:eu-west-1:123456789012:orders';
const OTHER_BUS = 'arn:aws:events:eu-west-1:123456789012:event-bus/other';
const ROLE = 'arn:aws:iam::123456789012:role/deliver';

const resources = resourcesOf();
/** The settings that the page shows. */
const page = readFileSync(new URL('../../docs/open-bus.md', import.meta.url), 'utf8');
const [, shown = ''] = /^```json\n(.*?)\n```$/ms.exec(page) ?? [];
const { inbound, outbound } = JSON.parse(shown) as Record<string, object[]>;
const open = resourcesOf({
  brand: 'direktiv',
  inbound: JSON.stringify(inbound),
  outbound: JSON.stringify(outbound),
});

const only = (all: Record<string, Resource>, type: string): [string, Record<string, unknown>] => {
  const [first, ...others] = ofType(all, type);
  if (first === undefined || others.length > 0) throw new Error(`not one resource ${type}`);
  return [first[0], first[1].Properties];
};
const [busId, bus] = only(resources, 'AWS::Events::EventBus');
const machineOf = (name: string): [string, Record<string, unknown>] => {
  const found = ofType(resources, 'AWS::StepFunctions::StateMachine').find(
    ([, { Properties }]) => Properties['StateMachineName'] === name,
  );
  if (found === undefined) throw new Error(`no machine ${name}`);
  return [found[0], found[1].Properties];
};
const [machineId, machine] = machineOf('weft_delay');
const [queueId] = only(resources, 'AWS::SQS::Queue');
const rule = (all: Record<string, Resource>, id: string): [string, Record<string, unknown>] => {
  const [found] = ofType(all, 'AWS::Events::Rule').filter(([name]) => name.startsWith(id));
  if (found === undefined) throw new Error(`no rule ${id}`);
  return [found[0], found[1].Properties];
};
const statementsOf = (all: Record<string, Resource>, role: string): object[] =>
  ofType(all, 'AWS::IAM::Policy')
    .filter(([, { Properties }]) => JSON.stringify(Properties['Roles']).includes(`"${role}`))
    .flatMap(([, { Properties }]) => (Properties['PolicyDocument'] as { Statement: object[] }).Statement);
const arnOf = (id: string): object => ({ 'Fn::GetAtt': [id, 'Arn'] });

describe('the event bus', () => {
  test('has the installation’s name', () => {
    expect(bus).toMatchObject({ Name: 'weft' });
    expect(only(resourcesOf({ name: 'flows' }), 'AWS::Events::EventBus')[1]).toMatchObject({ Name: 'flows' });
  });

  test('sends the router only events that namespaces publish', () => {
    const [, route] = rule(resources, 'BusRoute');
    expect(route).toMatchObject({
      EventBusName: { Ref: busId },
      EventPattern: { source: ['service.namespaces'] },
      State: 'ENABLED',
      Targets: [
        {
          Arn: { 'Fn::GetAtt': [expect.stringMatching(/^Functionsrouter/), 'Arn'] },
          DeadLetterConfig: { Arn: arnOf(queueId) },
        },
      ],
    });
    expect(JSON.stringify(rule(open, 'BusRoute'))).toContain('"direktiv.namespaces"');
  });

  test('is in the environment of the functions with its name, its source and its delay machine', () => {
    const steps = ofType(resources, 'AWS::Lambda::Function').filter(
      ([, { Properties }]) => Properties['FunctionName'] === 'weft-steps',
    );
    const variables = steps.map(([, { Properties }]) => (Properties['Environment'] as { Variables: object }).Variables);
    expect(variables[0]).toMatchObject({
      WEFT_BUS: { Ref: busId },
      WEFT_EVENT_SOURCE: 'service.namespaces',
      WEFT_DELAY_MACHINE: { Ref: machineId },
      WEFT_SCHEDULE_GROUP: 'weft',
      WEFT_FAILED: arnOf(queueId),
    });
  });
});

describe('the delay machine', () => {
  const definition = JSON.parse(String(machine['DefinitionString'])) as { States: Record<string, object> };

  test('waits until the given time, then publishes the given event', () => {
    expect(validate(definition)).toMatchObject({ isValid: true });
    expect(definition.States).toMatchObject({
      Wait: { Type: 'Wait', Timestamp: '{% $states.input.at %}', Next: 'Publish' },
      Publish: {
        Resource: 'arn:aws:states:::events:putEvents',
        Arguments: {
          Entries: [
            {
              EventBusName: 'weft',
              Source: '{% $states.input.source %}',
              DetailType: '{% $states.input.type %}',
              Detail: '{% $states.input.detail %}',
            },
          ],
        },
        Retry: [{ ErrorEquals: ['States.ALL'] }],
        End: true,
      },
    });
  });

  test('retries for about a day, within the limits of Step Functions', () => {
    const { Publish } = definition.States as Record<string, { Retry: Record<string, number>[] }>;
    const { IntervalSeconds = 0, BackoffRate = 0, MaxDelaySeconds = 0, MaxAttempts = 0 } = Publish?.Retry[0] ?? {};
    let seconds = 0;
    for (let tries = 0; tries < MaxAttempts; tries++) {
      seconds += Math.min(IntervalSeconds * BackoffRate ** tries, MaxDelaySeconds);
    }
    expect(seconds / 3600).toBeGreaterThan(22);
    expect(seconds / 3600).toBeLessThan(26);
  });

  test('is not named like the machines of workflows, so that its executions are no runs', () => {
    expect(machine['StateMachineName']).toBe('weft_delay');
  });

  test('may only put events on its bus', () => {
    expect(statementsOf(resources, 'BusDelayRole')).toEqual([
      { Action: 'events:PutEvents', Effect: 'Allow', Resource: arnOf(busId) },
    ]);
  });
});

describe('schedules', () => {
  test('have a group of the installation’s name', () => {
    const groups = ofType(resources, 'AWS::Scheduler::ScheduleGroup').map(([, { Properties }]) => Properties);
    expect(groups).toEqual([{ Name: 'weft' }, { Name: 'weft--timers' }]);
  });

  test('may only call the cron function and send undelivered calls to the queue', () => {
    const statements = statementsOf(resources, 'SchedulesRole');
    expect(statements).toHaveLength(2);
    expect(statements).toContainEqual({ Action: 'sqs:SendMessage', Effect: 'Allow', Resource: arnOf(queueId) });
    expect(JSON.stringify(statements)).toMatch(/"lambda:InvokeFunction".*:function:weft-cron:live"/);
  });

  test('have a role that only this schedule group can assume', () => {
    const [, role] = ofType(resources, 'AWS::IAM::Role').find(([id]) => id.startsWith('SchedulesRole')) ?? [];
    const text = JSON.stringify(role?.Properties['AssumeRolePolicyDocument']);
    expect(text).toContain('"Service":"scheduler.amazonaws.com"');
    expect(text).toContain('"aws:SourceAccount":{"Ref":"AWS::AccountId"}');
    expect(text).toContain(':schedule-group/weft"');
  });

  test('call an existing function', () => {
    const names = ofType(resources, 'AWS::Lambda::Function').map(([, { Properties }]) => Properties['FunctionName']);
    expect(names).toContain('weft-cron');
  });

  test('are created and deleted only in the group', () => {
    const setting = statementsOf(resources, 'FunctionstreeRole').filter((statement) =>
      JSON.stringify(statement).includes('scheduler:'),
    );
    expect(setting).toMatchObject([
      { Action: ['scheduler:CreateSchedule', 'scheduler:DeleteSchedule', 'scheduler:UpdateSchedule'] },
    ]);
    expect(JSON.stringify(setting)).toContain(':schedule/weft/*"');
  });
});

describe('timers', () => {
  test('may only call the steps function', () => {
    const statements = statementsOf(resources, 'TimersRole');
    expect(statements).toMatchObject([{ Action: 'lambda:InvokeFunction' }]);
    expect(JSON.stringify(statements)).toContain(':function:weft-steps:live"');
  });

  test('have a role that only their group can assume', () => {
    const [, role] = ofType(resources, 'AWS::IAM::Role').find(([id]) => id.startsWith('TimersRole')) ?? [];
    const text = JSON.stringify(role?.Properties['AssumeRolePolicyDocument']);
    expect(text).toContain('"Service":"scheduler.amazonaws.com"');
    expect(text).toContain('"aws:SourceAccount":{"Ref":"AWS::AccountId"}');
    expect(text).toContain(':schedule-group/weft--timers"');
  });

  test('are created by the steps function and the reconciler alone, in their group', () => {
    const policies = ofType(resources, 'AWS::IAM::Policy').filter(([, policy]) =>
      JSON.stringify(policy).includes(':schedule/weft--timers/*"'),
    );
    expect(policies.map(([id]) => id).toSorted()).toEqual([
      expect.stringMatching(/^FunctionsstepsRole/),
      expect.stringMatching(/^FunctionssweepRole/),
    ]);
    const setting = statementsOf(resources, 'FunctionsstepsRole').filter((statement) =>
      JSON.stringify(statement).includes('scheduler:'),
    );
    expect(setting).toMatchObject([{ Action: 'scheduler:CreateSchedule' }]);
  });
});

describe('docs/open-bus.md', () => {
  test('shows a workflow that compiles', () => {
    const [, yaml = ''] = /^```yaml\n(.*?)\n```$/ms.exec(page) ?? [];
    const compiled = compile(yaml);
    expect('problems' in compiled ? compiled.problems : []).toEqual([]);
  });

  test('names the existing fields', () => {
    const fieldsOf = (heading: string): string[] => {
      const section = page.split(/^## /m).find((part) => part.startsWith(heading)) ?? '';
      return [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, field = '']) => field);
    };
    const used = (list: object[] | undefined): string[] => [...new Set((list ?? []).flatMap(Object.keys))].toSorted();
    expect(fieldsOf('Into a namespace').toSorted()).toEqual(used(inbound));
    expect(fieldsOf('Out of namespaces').toSorted()).toEqual(used(outbound));
  });
});

describe('the bus is open', () => {
  test('to no other bus or target by default', () => {
    const ids = Object.keys(resources);
    expect(ids.filter((id) => /Inbound|Outbound|Functionsinbound/.test(id))).toEqual([]);
  });

  test('to events of the account’s default bus for a namespace', () => {
    const [id, files] = rule(open, 'BusInbound0');
    expect(files).toMatchObject({
      EventBusName: 'default',
      EventPattern: { source: ['aws.s3'], 'detail-type': [{ prefix: 'Object' }] },
      Targets: [
        {
          Arn: { 'Fn::GetAtt': [expect.stringMatching(/^Functionsinbound/), 'Arn'] },
          DeadLetterConfig: expect.anything(),
          InputTransformer: { InputPathsMap: { f1: '$' }, InputTemplate: '{"namespace":"files","event":<f1>}' },
        },
      ],
    });
    const callers = ofType(open, 'AWS::Lambda::Permission').map(([, { Properties }]) => Properties);
    expect(callers).toContainEqual(
      expect.objectContaining({ Principal: 'events.amazonaws.com', SourceArn: arnOf(id) }),
    );
  });

  test('to events of any other bus, by any pattern', () => {
    expect(rule(open, 'BusInbound1')[1]).toMatchObject({
      EventBusName: 'partners',
      EventPattern: { $or: [{ source: ['a'] }, { account: ['123456789012'] }] },
    });
  });

  test('to subscribers, by namespace and type', () => {
    expect(rule(open, 'BusOutbound0')[1]).toMatchObject({
      EventBusName: { Ref: busId },
      EventPattern: {
        source: ['direktiv.namespaces'],
        'detail-type': ['paid', { prefix: 'com.' }],
        detail: { namespace: ['orders'], round: [{ exists: false }] },
      },
      Targets: [{ Arn: QUEUE, DeadLetterConfig: { Arn: arnOf(queueId) } }],
    });
  });

  test('to subscribers of everything, with a role if the target needs one', () => {
    const [, all] = rule(open, 'BusOutbound1');
    expect(all['EventPattern']).toEqual({ source: ['direktiv.namespaces'], detail: { round: [{ exists: false }] } });
    expect(all['Targets']).toMatchObject([{ Arn: OTHER_BUS, RoleArn: ROLE }]);
  });

  test('and undelivered events are in the queue', () => {
    const policy = JSON.stringify(ofType(open, 'AWS::SQS::QueuePolicy'));
    for (const name of ['BusInbound0', 'BusInbound1', 'BusOutbound0', 'BusOutbound1']) {
      expect(policy).toContain(JSON.stringify({ 'aws:SourceArn': arnOf(rule(open, name)[0]) }));
    }
  });

  test('and invalid patterns are rejected before a deployment', () => {
    const wrong = JSON.stringify([{ namespace: 'a', pattern: { source: 'aws.s3' } }]);
    // The check of CDK, which vitest.config.ts turns off for speed.
    vi.stubEnv('CDK_VALIDATION', 'true');
    expect(() => resourcesOf({ inbound: wrong })).toThrow('EventPattern');
    vi.unstubAllEnvs();
  });
});
