import type { Plan } from '../../compiler/plan/plan.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Run } from '../../domain/runs/runs.ts';
import { withAdditions } from '../../language/schemas/defaults.ts';
import type { Fitted } from '../../language/schemas/violations.ts';
import { dataProblem } from '../evaluation/bounds.ts';
import { findViolations, fitToSchema } from '../evaluation/evaluation.ts';
import { failure, StateError } from '../evaluation/failures.ts';
import { accountOf, onAccountOf, presentTenant } from '../evaluation/tenants.ts';
import type { EnginePorts } from '../ports.ts';

/** How many violations a reply has, and its message; their length in the message, characters. */
const MAX_VIOLATIONS = 100;
const MAX_NAMED = 10;
const MAX_NAMED_LENGTH = 500;

/** The input of a run does not fit the schema of its workflow. The reply to a request has the first 100 violations. */
export class InputError extends ServiceError {
  constructor(violations: readonly string[]) {
    const named = violations.slice(0, MAX_NAMED).map((text) => text.slice(0, MAX_NAMED_LENGTH));
    const more = violations.length > MAX_NAMED ? `; and ${violations.length - MAX_NAMED} more` : '';
    const message = `the input does not match the schema of the workflow: ${named.join('; ')}${more}`;
    super('malformed', message, { violations: violations.slice(0, MAX_VIOLATIONS) });
  }
}

/** A schema that cannot be applied within its limits is a violation. */
const asViolation = (error: unknown): readonly [string] => {
  if (!(error instanceof StateError)) throw error;
  return [error.message];
};

type Data = Readonly<Record<string, unknown>>;

/** The data with the defaults of a schema. Throws InputError. */
async function fitData(schema: unknown, data: Data): Promise<Data> {
  const { violations, additions } = await fitToSchema(schema, data).catch((error: unknown): Fitted => {
    return { violations: asViolation(error) };
  });
  if (violations.length > 0) throw new InputError(violations);
  if (additions === undefined) return data;
  const filled = withAdditions(data, additions);
  const problem = dataProblem(filled);
  if (problem !== undefined) throw new InputError([`(root): with its defaults it is ${problem}`]);
  return filled;
}

/** The data of a run. An input of no bytes, such as that of a schedule, is an object without members. */
function dataOf({ input, data }: Run): Data {
  const { input: bytes, ...members } = data;
  return input.length === 0 && bytes === '' ? members : data;
}

/**
 * Fits a run that is not stored yet to the input of its workflow: its data gets the defaults. Without a schema it is the
 * same run. Throws InputError, and what evaluations throw.
 */
export async function fitInput<R extends Run>(ports: EnginePorts, { input }: Plan, run: R): Promise<R> {
  if (input === undefined) return run;
  const fit = async (): Promise<R> => ({ ...run, data: await fitData(input, dataOf(run)) });
  return presentTenant().id === '' ? onAccountOf(accountOf(ports, run), fit) : fit();
}

/** The failure of a run that would end with this output; undefined if its workflow has no schema, or the output fits it. */
export async function outputFailure({ output }: Plan, data: unknown): Promise<StateError | undefined> {
  if (output === undefined) return undefined;
  const violations = await findViolations(output, data).catch(asViolation);
  if (violations.length === 0) return undefined;
  const evaluated = { query: 'jq(.)', result: data, hints: violations.slice(1) };
  return failure('output.invalid', `the output does not match the schema of the workflow: ${violations[0]}`, evaluated);
}
