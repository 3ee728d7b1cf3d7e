import { SFNClient } from '@aws-sdk/client-sfn';
import { afterEach, describe, expect, test } from 'vitest';
import { type StepFunctionsOptions, stepFunctions } from '../../lib/adapters/aws/executions/executions.ts';
import type { Executions, Machine } from '../../lib/ports/executions.ts';
import { type AwsServer, errorReply, type Reply, startAwsServer } from './aws/server.ts';

type Input = Readonly<Record<string, unknown>>;
type Operation = (input: Input) => Reply;

const STEPS = 'arn:aws:lambda:eu-test-1:123456789012:function:steps:live';
const MACHINES = 'arn:aws:states:eu-test-1:123456789012:stateMachine:';
const EXECUTIONS = 'arn:aws:states:eu-test-1:123456789012:execution:';
/** What the compiler writes for the steps function. */
const PLACEHOLDER = ['$', '{steps}'].join('');
const definitionWith = (steps: string): string => JSON.stringify({ States: { a: { Fn: steps } } });
const DEFINED = definitionWith(STEPS);
const MACHINE: Machine = { name: 'w1-standard', definition: definitionWith(PLACEHOLDER), tier: 'STANDARD' };
const other = (text: string): Machine => ({ ...MACHINE, definition: JSON.stringify({ Comment: text }) });

interface Kept {
  input: Input;
  revision: number;
  /** The revision of each version; version numbers begin at 1. */
  versions: number[];
}

/** Step Functions as its reference describes it: revisions, versions, and which calls are idempotent. */
function machinesOf(kept: Map<string, Kept>): Record<string, Operation> {
  const revisionId = (machine: Kept) => (machine.revision === 0 ? undefined : `revision-${machine.revision}`);
  const publish = (arn: string, machine: Kept): Reply => {
    if (!machine.versions.includes(machine.revision)) machine.versions.push(machine.revision);
    const version = machine.versions.indexOf(machine.revision) + 1;
    return {
      body: { stateMachineArn: arn, stateMachineVersionArn: `${arn}:${version}`, creationDate: 0, updateDate: 0 },
    };
  };
  const withMachine =
    (then: (arn: string, machine: Kept, input: Input) => Reply): Operation =>
    (input) => {
      const arn = String(input['stateMachineArn']);
      const machine = kept.get(arn);
      return machine === undefined ? errorReply('StateMachineDoesNotExist') : then(arn, machine, input);
    };
  return {
    CreateStateMachine(input) {
      const arn = MACHINES + String(input['name']);
      const machine = kept.get(arn) ?? { input, revision: 0, versions: [] };
      if (machine.input['definition'] !== input['definition']) return errorReply('StateMachineAlreadyExists');
      kept.set(arn, machine);
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

/** An adapter whose service first gives the replies of `first`, operation by operation, and then acts as described. */
async function open(
  first: Record<string, Reply[]> = {},
  options: Partial<StepFunctionsOptions> = {},
): Promise<{ executions: Executions; kept: Map<string, Kept> }> {
  const kept = new Map<string, Kept>();
  const operations = machinesOf(kept);
  server = await startAwsServer(
    ({ operation, input }) => first[operation]?.shift() ?? operations[operation]?.(input) ?? { body: {} },
  );
  const client = new SFNClient({ ...server.config, maxAttempts: 1 });
  return { executions: stepFunctions({ stepsFunctionArn: STEPS, roleArn: 'role', client, ...options }), kept };
}

const operations = (): string[] => server.requests.map((asked) => asked.operation);
const lastInput = (): Input => server.requests.at(-1)?.input ?? {};

describe('defining a machine', () => {
  test('tags what it makes, if it is told tags', async () => {
    const { executions, kept } = await open({}, { tags: { team: 'flows' } });
    await executions.define(MACHINE);
    expect([...kept.values()].map(({ input }) => input['tags'])).toEqual([[{ key: 'team', value: 'flows' }]]);
    await server.close();
    const plain = await open();
    await plain.executions.define(MACHINE);
    expect([...plain.kept.values()].map(({ input }) => input['tags'])).toEqual([undefined]);
  });

  test('makes it and publishes it, with the steps function in the place of its placeholder', async () => {
    const { executions } = await open({}, { namePrefix: 'weft-' });
    expect(await executions.define(MACHINE)).toBe(`${MACHINES}weft-w1-standard:1`);
    expect(lastInput()).toMatchObject({ name: 'weft-w1-standard', type: 'STANDARD', roleArn: 'role', publish: true });
    expect(JSON.parse(String(lastInput()['definition']))).toEqual({ States: { a: { Fn: STEPS } } });
  });

  test('leaves text of the workflow alone that only contains the placeholder', async () => {
    const { executions } = await open();
    const text = `calls ${PLACEHOLDER} $& twice`;
    await executions.define(other(text));
    expect(JSON.parse(String(lastInput()['definition']))).toEqual({ Comment: text });
  });

  test('takes one call when it is new, and the same again gives the same version', async () => {
    const { executions } = await open();
    const first = await executions.define(MACHINE);
    expect(await executions.define(MACHINE)).toBe(first);
    expect(operations()).toEqual(['CreateStateMachine', 'CreateStateMachine']);
  });

  test('gives a changed definition a new version, and an earlier one again a version with just that definition', async () => {
    const { executions, kept } = await open();
    await executions.define(MACHINE);
    expect(await executions.define(other('second'))).toBe(`${MACHINES}w1-standard:2`);
    expect(await executions.define(MACHINE)).toBe(`${MACHINES}w1-standard:3`);
    expect(kept.get(`${MACHINES}w1-standard`)?.input['definition']).toContain(STEPS);
  });

  test('publishes what a call that was cut short had only updated, without updating it again', async () => {
    const exists = errorReply('StateMachineAlreadyExists');
    const { executions, kept } = await open({ CreateStateMachine: [exists] });
    kept.set(`${MACHINES}w1-standard`, {
      input: { definition: DEFINED, roleArn: 'role' },
      revision: 4,
      versions: [0, 2],
    });
    expect(await executions.define(MACHINE)).toBe(`${MACHINES}w1-standard:3`);
    expect(operations()).toEqual(['CreateStateMachine', 'DescribeStateMachine', 'PublishStateMachineVersion']);
  });

  test('names the first revision, which has no id, when it publishes that', async () => {
    const { executions, kept } = await open({ CreateStateMachine: [errorReply('StateMachineAlreadyExists')] });
    kept.set(`${MACHINES}w1-standard`, { input: { definition: DEFINED, roleArn: 'role' }, revision: 0, versions: [] });
    expect(await executions.define(MACHINE)).toBe(`${MACHINES}w1-standard:1`);
    expect(lastInput()['revisionId']).toBe('INITIAL');
  });

  test('updates a machine whose role is another one', async () => {
    const { executions, kept } = await open({ CreateStateMachine: [errorReply('StateMachineAlreadyExists')] });
    kept.set(`${MACHINES}w1-standard`, { input: { definition: DEFINED, roleArn: 'old' }, revision: 0, versions: [0] });
    expect(await executions.define(MACHINE)).toBe(`${MACHINES}w1-standard:2`);
    expect(kept.get(`${MACHINES}w1-standard`)?.input['roleArn']).toBe('role');
  });

  test.each(['ThrottlingException', 'TooManyRequestsException', 'ConflictException', 'StateMachineDeleting'])(
    'is tried again after %s',
    async (name) => {
      const { executions } = await open({ CreateStateMachine: [errorReply(name)] });
      expect(await executions.define(MACHINE)).toBe(`${MACHINES}w1-standard:1`);
    },
  );

  test('begins anew when another process updates the machine in between', async () => {
    const conflict = errorReply('ConflictException');
    const { executions, kept } = await open({
      CreateStateMachine: [errorReply('StateMachineAlreadyExists')],
      PublishStateMachineVersion: [conflict],
    });
    kept.set(`${MACHINES}w1-standard`, { input: { definition: DEFINED, roleArn: 'role' }, revision: 1, versions: [0] });
    expect(await executions.define(MACHINE)).toBe(`${MACHINES}w1-standard:2`);
  });

  test('throws at once what does not pass by itself', async () => {
    const { executions } = await open({ CreateStateMachine: [errorReply('InvalidDefinition')] });
    await expect(executions.define(MACHINE)).rejects.toThrow('InvalidDefinition');
    expect(operations()).toEqual(['CreateStateMachine']);
  });

  test('refuses a name that is too long with its prefix', async () => {
    const { executions } = await open({}, { namePrefix: 'weft-' });
    const define = async () => executions.define({ ...MACHINE, name: 'x'.repeat(76) });
    await expect(define()).rejects.toThrow('more than 80 characters');
  });

  test.each(['arn:logs', 'arn:logs:*'])(
    'has an EXPRESS machine log its errors to %s, and a STANDARD one not',
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
  test('passes version, name and input', async () => {
    const { executions } = await open();
    await executions.start(`${MACHINES}w1-standard:3`, 'run-1', { run: 'run-1' });
    const input = '{"run":"run-1"}';
    expect(lastInput()).toEqual({ stateMachineArn: `${MACHINES}w1-standard:3`, name: 'run-1', input });
  });

  test('whose name is in use does nothing', async () => {
    const { executions } = await open({ StartExecution: [errorReply('ExecutionAlreadyExists')] });
    await expect(executions.start(`${MACHINES}m:1`, 'run-1', {})).resolves.toBeUndefined();
  });

  test('of a machine that is gone is an error', async () => {
    const { executions } = await open({ StartExecution: [errorReply('StateMachineDoesNotExist')] });
    await expect(executions.start(`${MACHINES}m:1`, 'run-1', {})).rejects.toThrow('StateMachineDoesNotExist');
  });
});

describe('stopping an execution', () => {
  test('names it by its machine without the version, and cuts texts that are too long', async () => {
    const { executions } = await open();
    await executions.stop(`${MACHINES}w1-standard:3`, 'run-1', 'e'.repeat(300), 'c'.repeat(40_000));
    expect(lastInput()).toEqual({
      executionArn: `${EXECUTIONS}w1-standard:run-1`,
      error: 'e'.repeat(256),
      cause: 'c'.repeat(32_768),
    });
  });

  test.each(['ExecutionDoesNotExist', 'StateMachineTypeNotSupported', 'ValidationException'])(
    'that is refused for %s does nothing',
    async (name) => {
      const { executions } = await open({ StopExecution: [errorReply(name)] });
      await expect(executions.stop(`${MACHINES}m:1`, 'run-1', 'e', 'c')).resolves.toBeUndefined();
    },
  );

  test('that is not allowed is an error', async () => {
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

  test('with an error fails it, and cuts texts that are too long', async () => {
    const { executions } = await open();
    expect(await executions.answer('token', { error: 'e'.repeat(300), cause: 'c'.repeat(40_000) })).toBe(true);
    expect(operations()).toEqual(['SendTaskFailure']);
    expect(lastInput()).toEqual({ taskToken: 'token', error: 'e'.repeat(256), cause: 'c'.repeat(32_768) });
  });

  test.each(['TaskTimedOut', 'TaskDoesNotExist', 'InvalidToken'])('that comes too late (%s) is false', async (name) => {
    const { executions } = await open({ SendTaskSuccess: [errorReply(name)], SendTaskFailure: [errorReply(name)] });
    expect(await executions.answer('token', { output: 1 })).toBe(false);
    expect(await executions.answer('token', { error: 'e', cause: 'c' })).toBe(false);
  });

  test('that is not taken for another reason is an error', async () => {
    const { executions } = await open({ SendTaskSuccess: [errorReply('InvalidOutput')] });
    await expect(executions.answer('token', { output: 1 })).rejects.toThrow('InvalidOutput');
  });
});
