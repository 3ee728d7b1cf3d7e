import type { Plan } from '../../compiler/plan/plan.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Run } from '../../domain/runs/runs.ts';
import { addTo } from '../../language/schemas/defaults.ts';
import { dataProblem } from '../evaluation/bounds.ts';
import { findViolations, fitToSchema } from '../evaluation/evaluation.ts';
import { failure, StateError } from '../evaluation/failures.ts';
import { onAccountOf, presentTenant } from '../evaluation/tenants.ts';

/** The input of a run does not fit the schema of its workflow. `violations` are in the reply to a request. */
export class InputError extends ServiceError {
  constructor(violations: readonly string[]) {
    super('malformed', `the input does not fit the workflow: ${violations.join('; ')}`, { violations });
  }
}

/** A schema that cannot be applied within its limits is a violation. */
const asViolation = (error: unknown): readonly [string] => {
  if (!(error instanceof StateError)) throw error;
  return [error.message];
};

async function fitData(schema: unknown, data: Record<string, unknown>): Promise<void> {
  const { violations, additions } = await fitToSchema(schema, data).catch((error: unknown) => ({
    violations: asViolation(error),
    additions: [],
  }));
  if (violations.length > 0) throw new InputError(violations);
  addTo(data, additions);
  const problem = additions.length === 0 ? undefined : dataProblem(data);
  if (problem !== undefined) throw new InputError([`(root): with its defaults it is ${problem}`]);
}

/**
 * Fits the data of a run that is not stored yet to the input of its workflow: adds the defaults to it. Without a schema it
 * does nothing. Throws InputError, and what evaluations throw.
 */
export async function fitInput(
  { input }: Plan,
  { namespaceId, data }: Pick<Run, 'namespaceId' | 'data'>,
): Promise<void> {
  if (input === undefined) return;
  const fitting = () => fitData(input, data as Record<string, unknown>);
  await (presentTenant().id === '' ? onAccountOf({ id: namespaceId }, fitting) : fitting());
}

/** The failure of a run that would end with this output; undefined if its workflow has no schema, or the output fits it. */
export async function outputFailure({ output }: Plan, data: unknown): Promise<StateError | undefined> {
  if (output === undefined) return undefined;
  const violations = await findViolations(output, data).catch(asViolation);
  if (violations.length === 0) return undefined;
  const evaluated = { query: 'jq(.)', result: data, hints: violations.slice(1) };
  return failure('output.invalid', `the output does not fit the workflow: ${violations[0]}`, evaluated);
}
