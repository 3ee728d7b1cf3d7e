import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type LocalExecutions, localExecutions } from '../../../../lib/adapters/local/executions/executions.ts';
import { InvalidDefinitionError } from '../../../../lib/adapters/local/interpreter/program/program.ts';
import { owning } from '../owning.ts';
import { VirtualTime } from '../virtual-time.ts';

/** A machine, and its result as recorded from Step Functions. */
interface RecordedMachine {
  readonly name: string;
  readonly definition: unknown;
  readonly input: unknown;
  readonly expect: Expectation;
}

/** The expected result; times in milliseconds. `only`: the fields of the output that are compared. */
interface Expectation {
  readonly status?: string;
  readonly output?: unknown;
  readonly only?: readonly string[];
  readonly error?: string;
  readonly cause?: string;
  readonly causeRe?: { readonly regex: string };
  readonly raw?: string;
  readonly rawNo?: { readonly regex: string };
  readonly minMs?: number;
  readonly maxMs?: number;
  readonly anyFail?: true;
  readonly invalid?: true;
}

/** Machines with features that Weft does not emit, and the error for each. */
const OUT_OF_DIALECT: Readonly<Record<string, RegExp>> = {
  'map-distributed-inline-items': /the mode DISTRIBUTED is not supported/,
  'map-distributed-batch': /the field ItemBatcher is not supported/,
  'mixed-lang': /States\.A: the query language must be JSONata/,
  'jsonpath-intrinsics': /States\.A: the query language must be JSONata/,
  'task-direct-arn': /the resource \$\{TaskFunction\} is not supported/,
};

const TASK_FUNCTION = /^\$\{TaskFunction\}$/;

const recorded = JSON.parse(
  readFileSync(new URL('../../../conformance/machines.json', import.meta.url), 'utf8'),
) as RecordedMachine[];
const invalid = recorded.filter((machine) => machine.expect.invalid);
const runnable = recorded.filter((machine) => !machine.expect.invalid && !(machine.name in OUT_OF_DIALECT));

class ThrownError extends Error {
  override readonly name: string;
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

interface TaskPayload {
  readonly op: 'double' | 'fail' | 'sleep';
  readonly value: number;
  readonly name: string;
  readonly msg: string;
  readonly ms: number;
}

function open(time: VirtualTime): LocalExecutions {
  const operations: Record<TaskPayload['op'], (payload: TaskPayload) => Promise<unknown>> = {
    double: async ({ value }) => ({ value: value * 2 }),
    fail: async ({ name, msg }) => {
      throw new ThrownError(name, msg);
    },
    sleep: ({ ms }) => time.sleep(ms),
  };
  const invoke = async (functionName: string, payload: unknown): Promise<unknown> => {
    if (!TASK_FUNCTION.test(functionName)) throw new ThrownError('Lambda.ResourceNotFoundException', functionName);
    return operations[(payload as TaskPayload).op](payload as TaskPayload);
  };
  return owning(':memory:', (database) => localExecutions({ database, ...time, invoke }));
}

async function run({ definition, input }: RecordedMachine): Promise<{ outcome: Outcome; durationMs: number }> {
  const time = new VirtualTime();
  const executions = open(time);
  const text = typeof definition === 'string' ? definition : JSON.stringify(definition);
  const handle = await executions.define({ name: 'recorded', definition: text, tier: 'STANDARD' });
  await executions.start(handle, 'one', input);
  for (;;) {
    const outcome = executions.describe(handle, 'one');
    if (outcome?.ended !== undefined) {
      await executions.close();
      return { outcome, durationMs: outcome.ended - outcome.started };
    }
    await time.sleep(100);
  }
}

type Outcome = NonNullable<ReturnType<LocalExecutions['describe']>>;

function compare(
  { expect: expected }: RecordedMachine,
  { outcome, durationMs }: { outcome: Outcome; durationMs: number },
): void {
  if (expected.anyFail) expect(outcome.status).not.toBe('SUCCEEDED');
  else expect(outcome).toMatchObject({ status: expected.status });
  if ('output' in expected) expect(selectFields(outcome.output, expected.only)).toEqual(expected.output);
  if (expected.error !== undefined) expect(outcome.error).toBe(expected.error);
  if (expected.cause !== undefined) expect(outcome.cause).toBe(expected.cause);
  if (expected.causeRe) expect(outcome.cause).toMatch(new RegExp(expected.causeRe.regex));
  if (expected.raw !== undefined) expect(JSON.stringify(outcome.output)).toBe(expected.raw);
  if (expected.rawNo) expect(JSON.stringify(outcome.output)).not.toMatch(new RegExp(expected.rawNo.regex));
  expect(durationMs).toBeGreaterThanOrEqual(expected.minMs ?? 0);
  expect(durationMs).toBeLessThanOrEqual(expected.maxMs ?? Number.POSITIVE_INFINITY);
}

function selectFields(output: unknown, only: readonly string[] | undefined): unknown {
  if (!only) return output;
  const fields = output as Record<string, unknown>;
  return Object.fromEntries(only.map((field) => [field, fields[field]]));
}

describe(`recorded machines (${runnable.length} to run, ${invalid.length} invalid)`, () => {
  test.each(runnable)('$name ends as in Step Functions', async (machine) => {
    compare(machine, await run(machine));
  });

  test.each(invalid)('$name is rejected', async (machine) => {
    await expect(run(machine)).rejects.toThrow(InvalidDefinitionError);
  });

  test.each(Object.entries(OUT_OF_DIALECT))('%s is rejected as not supported', async (name, message) => {
    const machine = recorded.find((one) => one.name === name);
    if (!machine) throw new Error(`there is no recorded machine ${name}`);
    await expect(run(machine)).rejects.toThrow(message);
  });
});
