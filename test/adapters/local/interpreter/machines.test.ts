import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type LocalExecutions, localExecutions } from '../../../../lib/adapters/local/executions/executions.ts';
import { InvalidDefinition } from '../../../../lib/adapters/local/interpreter/program/program.ts';
import { owning } from '../owning.ts';
import { VirtualTime } from '../virtual-time.ts';

interface Exam {
  readonly name: string;
  readonly definition: unknown;
  readonly input: unknown;
  readonly expect: Expectation;
}

/** What the machine must come to; `soft` marks what the examiners were not sure of. Times are milliseconds. */
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

/** What Weft never emits, and the words it is refused with. */
const OUT_OF_DIALECT: Readonly<Record<string, RegExp>> = {
  'map-distributed-inline-items': /the mode DISTRIBUTED is not supported/,
  'map-distributed-batch': /the field ItemBatcher is not supported/,
  'mixed-lang': /States\.A: the query language must be JSONata/,
  'jsonpath-intrinsics': /States\.A: the query language must be JSONata/,
  'task-direct-arn': /the resource \$\{TaskFunction\} is not supported/,
};

const TASK_FUNCTION = /^\$\{TaskFunction\}$/;

const exams = JSON.parse(
  readFileSync(new URL('../../../conformance/machines.json', import.meta.url), 'utf8'),
) as Exam[];
const refused = exams.filter((exam) => exam.expect.invalid);
const applicable = exams.filter((exam) => !exam.expect.invalid && !(exam.name in OUT_OF_DIALECT));

class Thrown extends Error {
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
      throw new Thrown(name, msg);
    },
    sleep: ({ ms }) => time.sleep(ms),
  };
  const invoke = async (functionName: string, payload: unknown): Promise<unknown> => {
    if (!TASK_FUNCTION.test(functionName)) throw new Thrown('Lambda.ResourceNotFoundException', functionName);
    return operations[(payload as TaskPayload).op](payload as TaskPayload);
  };
  return owning(':memory:', (database) => localExecutions({ database, ...time, invoke }));
}

async function take({ definition, input }: Exam): Promise<{ outcome: Outcome; lasted: number }> {
  const time = new VirtualTime();
  const executions = open(time);
  const text = typeof definition === 'string' ? definition : JSON.stringify(definition);
  const handle = await executions.define({ name: 'exam', definition: text, tier: 'STANDARD' });
  await executions.start(handle, 'one', input);
  for (;;) {
    const outcome = executions.describe(handle, 'one');
    if (outcome?.ended !== undefined) {
      await executions.close();
      return { outcome, lasted: outcome.ended - outcome.started };
    }
    await time.sleep(100);
  }
}

type Outcome = NonNullable<ReturnType<LocalExecutions['describe']>>;

function compare({ expect: wanted }: Exam, { outcome, lasted }: { outcome: Outcome; lasted: number }): void {
  if (wanted.anyFail) expect(outcome.status).not.toBe('SUCCEEDED');
  else expect(outcome).toMatchObject({ status: wanted.status });
  if ('output' in wanted) expect(picked(outcome.output, wanted.only)).toEqual(wanted.output);
  if (wanted.error !== undefined) expect(outcome.error).toBe(wanted.error);
  if (wanted.cause !== undefined) expect(outcome.cause).toBe(wanted.cause);
  if (wanted.causeRe) expect(outcome.cause).toMatch(new RegExp(wanted.causeRe.regex));
  if (wanted.raw !== undefined) expect(JSON.stringify(outcome.output)).toBe(wanted.raw);
  if (wanted.rawNo) expect(JSON.stringify(outcome.output)).not.toMatch(new RegExp(wanted.rawNo.regex));
  expect(lasted).toBeGreaterThanOrEqual(wanted.minMs ?? 0);
  expect(lasted).toBeLessThanOrEqual(wanted.maxMs ?? Number.POSITIVE_INFINITY);
}

function picked(output: unknown, only: readonly string[] | undefined): unknown {
  if (!only) return output;
  const held = output as Record<string, unknown>;
  return Object.fromEntries(only.map((field) => [field, held[field]]));
}

describe(`the exam of ${exams.length} machines, of which ${applicable.length} are to be run and ${refused.length} are faulty`, () => {
  test.each(applicable)('$name runs as Step Functions runs it', async (exam) => {
    compare(exam, await take(exam));
  });

  test.each(refused)('$name is refused', async (exam) => {
    await expect(take(exam)).rejects.toThrow(InvalidDefinition);
  });

  test.each(Object.entries(OUT_OF_DIALECT))('%s is refused by name, as Weft never emits it', async (name, words) => {
    const exam = exams.find((one) => one.name === name);
    if (!exam) throw new Error(`there is no exam ${name}`);
    await expect(take(exam)).rejects.toThrow(words);
  });
});
