import { SFNClient } from '@aws-sdk/client-sfn';
import { afterEach, describe, expect, test } from 'vitest';
import { type StepFunctionsOptions, stepFunctions } from '../../lib/adapters/aws/executions/executions.ts';
import { type Executions, type Machine, NoMachineError } from '../../lib/ports/executions.ts';
import { type AwsServer, errorReply, type Reply, startAwsServer } from './aws/server.ts';

type Input = Readonly<Record<string, unknown>>;
type Operation = (input: Input) => Reply;

const STEPS = 'arn:aws:lambda:eu-test-1:123456789012:function:steps:live';
const MACHINES = 'arn:aws:states:eu-test-1:123456789012:stateMachine:';
const EXECUTIONS = 'arn:aws:states:eu-test-1:123456789012:execution:';
/** The placeholder of the compiler for the steps function. */
const PLACEHOLDER = ['$', '{steps}'].join('');
const definitionWith = (steps: string): string => JSON.stringify({ States: { a: { Fn: steps } } });
const DEFINED = definitionWith(STEPS);
const MACHINE: Machine = { name: 'w1-standard', definition: definitionWith(PLACEHOLDER), tier: 'STANDARD' };
const other = (text: string): Machine => ({ ...MACHINE, definition: JSON.stringify({ Comment: text }) });

interface StoredMachine {
  input: Input;
  revision: number;
  /** The revision of each version; version numbers begin at 1. */
  versions: number[];
}

/** A fake of Step Functions by its reference: revisions, versions, and idempotent operations. */
function machinesOf(machines: Map<string, StoredMachine>): Record<string, Operation> {
  const revisionId = (machine: StoredMachine) => (machine.revision === 0 ? undefined : `revision-${machine.revision}`);
  const publish = (arn: string, machine: StoredMachine): Reply => {
    if (!machine.versions.includes(machine.revision)) machine.versions.push(machine.revision);
    const version = machine.versions.indexOf(machine.revision) + 1;
    return {
      body: { stateMachineArn: arn, stateMachineVersionArn: `${arn}:${version}`, creationDate: 0, updateDate: 0 },
    };
  };
  const withMachine =
    (then: (arn: string, machine: StoredMachine, input: Input) => Reply): Operation =>
    (input) => {
      const arn = String(input['stateMachineArn']);
      const machine = machines.get(arn);
      return machine === undefined ? errorReply('StateMachineDoesNotExist') : then(arn, machine, input);
    };
  return {
    CreateStateMachine(input) {
      const arn = MACHINES + String(input['name']);
      const machine = machines.get(arn) ?? { input, revision: 0, versions: [] };
      if (machine.input['definition'] !== input['definition']) return errorReply('StateMachineAlreadyExists');
      machines.set(arn, machine);
      return publish(arn, machine);
    },
    DescribeStateMachine: withMachine((arn, machine) => ({
      body: { ...machine.input, stateMachineArn: arn, revisionId: revisionId(machine), creationDate: 0 },
    })),
    UpdateStateMachine: withMachine((arn, machine, input) => {
      machine.input = { ...machine.input, ...input };
      machine.revision++;
      return publish(arn, machine);
    }),
    PublishStateMachineVersion: withMachine((arn, machine, input) =>
      input['revisionId'] === (revisionId(machine) ?? 'INITIAL')
        ? publish(arn, machine)
        : errorReply('ConflictException'),
    ),
  };
}

let server: AwsServer;
afterEach(() => server?.close());

/** An adapter whose requests first get the replies of `first`, by operation, and then those of the fake. */
async function open(
  first: Record<string, Reply[]> = {},
  options: Partial<StepFunctionsOptions> = {},
): Promise<{ executions: Executions; machines: Map<string, StoredMachine> }> {
  const machines = new Map<string, StoredMachine>();
  const operations = machinesOf(machines);
  server = await startAwsServer(
    ({ operation, input }) => first[operation]?.shift() ?? operations[operation]?.(input) ?? { body: {} },
  );
  const client = new SFNClient({ ...server.config, maxAttempts: 1 });
  return { executions: stepFunctions({ stepsFunctionArn: STEPS, roleArn: 'role', client, ...options }), machines };
}

const operations = (): string[] => server.requests.map(({ operation }) => operation);
const lastInput = (): Input => server.requests.at(-1)?.input ?? {};

describe('defining a machine', () => {
  test('tags it if there are tags', async () => {
    const { executions, machines } = await open({}, { tags: { team: 'flows' } });
    await executions.define(MACHINE);
    expect([...machines.values()].map(({ input }) => input['tags'])).toEqual([[{ key: 'team', value: 'flows' }]]);
    await server.close();
    const plain = await open();
    await plain.executions.define(MACHINE);
    expect([...plain.machines.values()].map(({ input }) => input['tags'])).toEqual([undefined]);
  });

  test('creates and publishes it with the ARN of the steps function in place of the placeholder', async () => {
    const { executions } = await open({}, { namePrefix: 'weft-' });
    expect(await executions.define(MACHINE)).toBe(`${MACHINES}weft-w1-standard:1`);
    expect(lastInput()).toMatchObject({ name: 'weft-w1-standard', type: 'STANDARD', roleArn: 'role', publish: true });
    expect(JSON.parse(String(lastInput()['definition']))).toEqual({ States: { a: { Fn: STEPS } } });
  });

  test('does not change text of the workflow that contains the placeholder', async () => {
    const { executions } = await open();
    const text = `calls ${PLACEHOLDER} $& twice`;
    await executions.define(other(text));
    expect(JSON.parse(String(lastInput()['definition']))).toEqual({ Comment: text });
  });

  test('sends one request for a new machine; the same definition has the same version', async () => {
    const { executions } = await open();
    const first = await executions.define(MACHINE);
    expect(await executions.define(MACHINE)).toBe(first);
    expect(operations()).toEqual(['CreateStateMachine', 'CreateStateMachine']);
  });

  test('publishes a new version for a changed definition, also for an earlier one', async () => {
    const { executions, machines } = await open();
    await executions.define(MACHINE);
    expect(await executions.define(other('second'))).toBe(`${MACHINES}w1-standard:2`);
    expect(await executions.define(MACHINE)).toBe(`${MACHINES}w1-standard:3`);
    expect(machines.get(`${MACHINES}w1-standard`)?.input['definition']).toContain(STEPS);
  });

  test('publishes an update that an aborted call has left unpublished, without another update', async () => {
    const exists = errorReply('StateMachineAlreadyExists');
    const { executions, machines } = await open({ CreateStateMachine: [exists] });
    machines.set(`${MACHINES}w1-standard`, {
      input: { definition: DEFINED, roleArn: 'role' },
      revision: 4,
      versions: [0, 2],
    });
    expect(await executions.define(MACHINE)).toBe(`${MACHINES}w1-standard:3`);
    expect(operations()).toEqual(['CreateStateMachine', 'DescribeStateMachine', 'PublishStateMachineVersion']);
  });

  test('publishes the first revision, which has no id, as INITIAL', async () => {
    const { executions, machines } = await open({ CreateStateMachine: [errorReply('StateMachineAlreadyExists')] });
    machines.set(`${MACHINES}w1-standard`, {
      input: { definition: DEFINED, roleArn: 'role' },
      revision: 0,
      versions: [],
    });
    expect(await executions.define(MACHINE)).toBe(`${MACHINES}w1-standard:1`);
    expect(lastInput()['revisionId']).toBe('INITIAL');
  });

  test('updates a machine with another role', async () => {
    const { executions, machines } = await open({ CreateStateMachine: [errorReply('StateMachineAlreadyExists')] });
    machines.set(`${MACHINES}w1-standard`, {
      input: { definition: DEFINED, roleArn: 'old' },
      revision: 0,
      versions: [0],
    });
    expect(await executions.define(MACHINE)).toBe(`${MACHINES}w1-standard:2`);
    expect(machines.get(`${MACHINES}w1-standard`)?.input['roleArn']).toBe('role');
  });

  test.each(['ThrottlingException', 'TooManyRequestsException', 'ConflictException', 'StateMachineDeleting'])(
    'is retried after %s',
    async (name) => {
      const { executions } = await open({ CreateStateMachine: [errorReply(name)] });
      expect(await executions.define(MACHINE)).toBe(`${MACHINES}w1-standard:1`);
    },
  );

  test('starts again when another process updates the machine concurrently', async () => {
    const conflict = errorReply('ConflictException');
    const { executions, machines } = await open({
      CreateStateMachine: [errorReply('StateMachineAlreadyExists')],
      PublishStateMachineVersion: [conflict],
    });
    machines.set(`${MACHINES}w1-standard`, {
      input: { definition: DEFINED, roleArn: 'role' },
      revision: 1,
      versions: [0],
    });
    expect(await executions.define(MACHINE)).toBe(`${MACHINES}w1-standard:2`);
  });

  test('throws a permanent error without a retry', async () => {
    const { executions } = await open({ CreateStateMachine: [errorReply('InvalidDefinition')] });
    await expect(executions.define(MACHINE)).rejects.toThrow('InvalidDefinition');
    expect(operations()).toEqual(['CreateStateMachine']);
  });

  test('rejects a name that is too long with its prefix', async () => {
    const { executions } = await open({}, { namePrefix: 'weft-' });
    const define = async () => executions.define({ ...MACHINE, name: 'x'.repeat(76) });
    await expect(define()).rejects.toThrow('more than 80 characters');
  });

  test.each(['arn:logs', 'arn:logs:*'])(
    'configures an EXPRESS machine to log errors to %s, and a STANDARD machine not',
    async (logGroupArn) => {
      const { executions } = await open({}, { logGroupArn });
      await executions.define({ ...MACHINE, name: 'w1-express', tier: 'EXPRESS' });
      const destinations = [{ cloudWatchLogsLogGroup: { logGroupArn: 'arn:logs:*' } }];
      expect(lastInput()['loggingConfiguration']).toEqual({ level: 'ERROR', destinations });
      await executions.define(MACHINE);
      expect(lastInput()['loggingConfiguration']).toBeUndefined();
    },
  );
});

describe('starting an execution', () => {
  test('sends version, name and input', async () => {
    const { executions } = await open();
    await executions.start(`${MACHINES}w1-standard:3`, 'run-1', { run: 'run-1' });
    const input = '{"run":"run-1"}';
    expect(lastInput()).toEqual({ stateMachineArn: `${MACHINES}w1-standard:3`, name: 'run-1', input });
  });

  test('reports whether the execution runs: not one whose name an ended execution has', async () => {
    const { executions } = await open({ StartExecution: [errorReply('ExecutionAlreadyExists')] });
    expect(await executions.start(`${MACHINES}m:1`, 'run-1', {})).toBe(false);
  });

  test.each(['StateMachineDoesNotExist', 'StateMachineDeleting'])('throws NoMachineError for %s', async (name) => {
    const { executions } = await open({ StartExecution: [errorReply(name)] });
    await expect(executions.start(`${MACHINES}m:1`, 'run-1', {})).rejects.toThrow(NoMachineError);
  });
});

describe('stopping an execution', () => {
  test('sends its ARN without the version, and truncates long texts', async () => {
    const { executions } = await open();
    await executions.stop(`${MACHINES}w1-standard:3`, 'run-1', 'e'.repeat(300), 'c'.repeat(40_000));
    expect(lastInput()).toEqual({
      executionArn: `${EXECUTIONS}w1-standard:run-1`,
      error: 'e'.repeat(256),
      cause: 'c'.repeat(32_768),
    });
  });

  test.each(['ExecutionDoesNotExist', 'StateMachineTypeNotSupported', 'ValidationException'])(
    'that fails with %s does nothing',
    async (name) => {
      const { executions } = await open({ StopExecution: [errorReply(name)] });
      await expect(executions.stop(`${MACHINES}m:1`, 'run-1', 'e', 'c')).resolves.toBeUndefined();
    },
  );

  test('without permission throws', async () => {
    const { executions } = await open({ StopExecution: [errorReply('AccessDeniedException')] });
    await expect(executions.stop(`${MACHINES}m:1`, 'run-1', 'e', 'c')).rejects.toThrow('AccessDeniedException');
  });
});

describe('answering a task', () => {
  test.each([
    [{ a: [1] }, '{"a":[1]}'],
    [undefined, 'null'],
    ['text', '"text"'],
  ])('with the output %j sends %s', async (output, sent) => {
    const { executions } = await open();
    expect(await executions.answer('token', { output })).toBe(true);
    expect(operations()).toEqual(['SendTaskSuccess']);
    expect(lastInput()).toEqual({ taskToken: 'token', output: sent });
  });

  test('with an error fails it, and truncates long texts', async () => {
    const { executions } = await open();
    expect(await executions.answer('token', { error: 'e'.repeat(300), cause: 'c'.repeat(40_000) })).toBe(true);
    expect(operations()).toEqual(['SendTaskFailure']);
    expect(lastInput()).toEqual({ taskToken: 'token', error: 'e'.repeat(256), cause: 'c'.repeat(32_768) });
  });

  test.each(['TaskTimedOut', 'TaskDoesNotExist', 'InvalidToken'])('too late (%s) returns false', async (name) => {
    const { executions } = await open({ SendTaskSuccess: [errorReply(name)], SendTaskFailure: [errorReply(name)] });
    expect(await executions.answer('token', { output: 1 })).toBe(false);
    expect(await executions.answer('token', { error: 'e', cause: 'c' })).toBe(false);
  });

  test('with another error throws', async () => {
    const { executions } = await open({ SendTaskSuccess: [errorReply('InvalidOutput')] });
    await expect(executions.answer('token', { output: 1 })).rejects.toThrow('InvalidOutput');
  });
});
