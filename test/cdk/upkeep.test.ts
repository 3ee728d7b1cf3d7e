import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { ofType, type Resource, resourcesOf } from './stack.ts';

const resources = resourcesOf();
const properties = (type: string): Record<string, unknown>[] =>
  ofType(resources, type).map(([, { Properties }]) => Properties);

interface Target {
  readonly Arn: { readonly 'Fn::GetAtt': readonly [string, 'Arn'] };
  readonly DeadLetterConfig: { readonly Arn: { readonly 'Fn::GetAtt': readonly [string, 'Arn'] } };
}

/** The rule for the queue starts a state machine; the others call functions. */
const isEmptying = ([id]: readonly [string, Resource]): boolean => id.startsWith('FailedDaily');
const rules = ofType(resources, 'AWS::Events::Rule').filter((rule) => !isEmptying(rule));
const targetsOf = ({ Properties }: Resource): Target[] => Properties['Targets'] as Target[];
const ruleOf = (file: string): [string, Resource] => {
  const found = rules.filter(([, rule]) => targetsOf(rule).some(({ Arn }) => Arn['Fn::GetAtt'][0].includes(file)));
  const [only] = found;
  if (only === undefined || found.length > 1) throw new Error(`${found.length} rules call ${file}`);
  return only;
};
const [queueId, queue] = ofType(resources, 'AWS::SQS::Queue')[0] ?? [];

const [keeperId] = ofType(resources, 'AWS::Lambda::Function').find(([id]) => id.startsWith('Functionsfailures')) ?? [];

const validate = createRequire(import.meta.url)('asl-validator') as (definition: unknown) => { isValid: boolean };

/** A definition as CloudFormation would write it, with words instead of references. */
const definitionOf = (value: unknown): string => {
  const {
    'Fn::Join': join,
    'Fn::GetAtt': got,
    Ref,
  } = value as Record<string, never> & { 'Fn::Join'?: [string, unknown[]] };
  if (join !== undefined) return join[1].map(definitionOf).join(join[0]);
  if (got !== undefined) return `<${(got as string[]).join('.')}>`;
  return Ref === undefined ? String(value) : `<${Ref}>`;
};

/** Joins texts as CloudFormation does, with words instead of pseudo parameters. */
const textOf = (value: unknown): string => {
  const { 'Fn::Join': join, Ref } = value as { 'Fn::Join'?: [string, unknown[]]; Ref?: string };
  if (join !== undefined) return join[1].map(textOf).join(join[0]);
  return Ref === undefined ? String(value) : `<${Ref}>`;
};

describe('work without requests', () => {
  test('four rules call functions: for ended executions, two daily ones, for events', () => {
    expect(rules.map(([, { Properties }]) => Properties['State'])).toEqual(Array(4).fill('ENABLED'));
    expect(rules.flatMap(([, rule]) => targetsOf(rule))).toHaveLength(4);
  });

  test('the end of unsuccessful executions is recorded, only for machines of the installation', () => {
    const pattern = ruleOf('lifecycle')[1].Properties['EventPattern'] as {
      readonly detail: { readonly stateMachineArn: readonly [{ readonly prefix: unknown }] };
    };
    expect(pattern).toMatchObject({
      source: ['aws.states'],
      'detail-type': ['Step Functions Execution Status Change'],
      detail: { status: ['FAILED', 'TIMED_OUT', 'ABORTED'] },
    });
    expect(pattern.detail.stateMachineArn.map(({ prefix }) => textOf(prefix))).toEqual([
      'arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:stateMachine:weft--',
    ]);
  });

  test('the reconciler runs every 15 minutes and after each deployment', () => {
    expect(ruleOf('sweep')[1].Properties).toMatchObject({
      ScheduleExpression: 'rate(15 minutes)',
      EventPattern: {
        source: ['aws.cloudformation'],
        detail: {
          'stack-id': [{ Ref: 'AWS::StackId' }],
          'status-details': { status: ['CREATE_COMPLETE', 'UPDATE_COMPLETE'] },
        },
      },
    });
  });

  test.each(['lifecycle', 'sweep', 'router'])(
    'a call of %s that fails is handed to the function that keeps it; one that does not arrive waits in the queue',
    (file) => {
      const [, rule] = ruleOf(file);
      expect(targetsOf(rule).map(({ DeadLetterConfig }) => DeadLetterConfig.Arn['Fn::GetAtt'][0])).toEqual([queueId]);
      const settings = properties('AWS::Lambda::EventInvokeConfig').filter(({ FunctionName }) =>
        JSON.stringify(FunctionName).includes(file),
      );
      expect(settings).toEqual([
        expect.objectContaining({
          DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [keeperId, 'Arn'] } } },
        }),
      ]);
    },
  );

  test('dead letters that cannot be stored are in the queue', () => {
    const settings = properties('AWS::Lambda::EventInvokeConfig').filter(
      ({ FunctionName }) => JSON.stringify(FunctionName) === JSON.stringify({ Ref: keeperId }),
    );
    expect(settings).toMatchObject([
      { DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [queueId, 'Arn'] } } } },
    ]);
  });

  test('once a day the queue is moved to the function that stores dead letters, ten messages at once', () => {
    const [, rule] = ofType(resources, 'AWS::Events::Rule').find(isEmptying) ?? [];
    expect(rule?.Properties).toMatchObject({ ScheduleExpression: 'rate(1 day)', State: 'ENABLED' });
    const machine = properties('AWS::StepFunctions::StateMachine').find(
      ({ StateMachineName }) => StateMachineName === 'weft_failed',
    );
    expect(machine).toMatchObject({ StateMachineType: 'EXPRESS' });
    const definition = JSON.parse(definitionOf(machine?.['DefinitionString'])) as { States: Record<string, object> };
    expect(validate(definition)).toMatchObject({ isValid: true });
    expect(definition.States).toMatchObject({
      Start: { Assign: { batch: 10 } },
      Receive: {
        Arguments: { QueueUrl: `<${queueId}>`, MaxNumberOfMessages: '{% $batch %}', MessageAttributeNames: ['All'] },
      },
      Keep: { Arguments: { FunctionName: `<${keeperId}.Arn>`, Payload: '{% $states.input %}' }, Next: 'AnyKept' },
      Forget: { Arguments: { QueueUrl: `<${queueId}>`, Entries: '{% $states.input.Entries %}' }, Next: 'Receive' },
    });
    const rights = ofType(resources, 'AWS::IAM::Policy')
      .filter(([id]) => id.startsWith('FailedEmptyingRole'))
      .flatMap(([, { Properties }]) => (Properties['PolicyDocument'] as { Statement: object[] }).Statement);
    expect(rights).toMatchObject([
      { Action: ['sqs:DeleteMessage', 'sqs:ReceiveMessage'], Resource: { 'Fn::GetAtt': [queueId, 'Arn'] } },
      { Action: 'lambda:InvokeFunction', Resource: { 'Fn::GetAtt': [keeperId, 'Arn'] } },
    ]);
  });

  test('a batch of the queue that is too large, or ends the function, is received again in single messages', () => {
    const machine = properties('AWS::StepFunctions::StateMachine').find(
      ({ StateMachineName }) => StateMachineName === 'weft_failed',
    );
    const { States } = JSON.parse(definitionOf(machine?.['DefinitionString'])) as {
      States: Record<string, { Catch?: object[]; Retry?: { ErrorEquals: string[] }[] }>;
    };
    const split = { Assign: { batch: 1, delay: '{% $batch = 1 ? 0 : 90 %}' }, Next: 'Split' };
    // States.ALL does not match an output that is too large.
    const tooLarge = { ErrorEquals: ['States.DataLimitExceeded'], ...split };
    expect(States['Receive']?.Catch).toEqual([tooLarge]);
    expect(States['Keep']?.Catch).toEqual([tooLarge, { ErrorEquals: ['States.ALL'], ...split }]);
    expect(States['Split']).toEqual({ Type: 'Wait', Seconds: '{% $delay %}', Next: 'Receive' });
    // A single message stays hidden for longer than the 5 minutes of an EXPRESS execution, so that it is not tried again.
    expect(States['Receive']).toMatchObject({ Arguments: { VisibilityTimeout: '{% $batch = 1 ? 600 : 90 %}' } });
    for (const name of ['Receive', 'Keep', 'Forget']) expect(States[name]?.Retry).toHaveLength(1);
  });

  test.each(['lifecycle', 'sweep', 'router'])('only its rule may call %s', (file) => {
    const [ruleId] = ruleOf(file);
    const permissions = properties('AWS::Lambda::Permission').filter(({ FunctionName }) =>
      JSON.stringify(FunctionName).includes(`Functions${file}`),
    );
    expect(permissions).toMatchObject([
      { Principal: 'events.amazonaws.com', SourceArn: { 'Fn::GetAtt': [ruleId, 'Arn'] } },
    ]);
  });

  test('the queue is encrypted, keeps messages for two weeks, and accepts them only from the rules', () => {
    expect(queue?.Properties).toEqual({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 14 * 86_400 });
    const all = properties('AWS::SQS::QueuePolicy').flatMap(
      (policy) => (policy['PolicyDocument'] as { readonly Statement: Record<string, unknown>[] }).Statement,
    );
    expect(all.filter(({ Effect }) => Effect === 'Deny')).toMatchObject([
      { Action: 'sqs:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
    ]);
    const allowed = all.filter(({ Effect }) => Effect === 'Allow');
    expect(allowed).toMatchObject(
      rules.map(([id]) => ({
        Action: 'sqs:SendMessage',
        Principal: { Service: 'events.amazonaws.com' },
        Condition: { ArnEquals: { 'aws:SourceArn': { 'Fn::GetAtt': [id, 'Arn'] } } },
      })),
    );
  });

  test('another installation records only the executions of its own machines', () => {
    const own = ofType(resourcesOf({ name: 'flows' }), 'AWS::Events::Rule');
    expect(JSON.stringify(own)).toContain(':stateMachine:flows--"');
  });
});
