import { DEFAULT_LAMBDA_MS, isLambdaName, isLambdaQualifier, isQualified } from '../../compiler/plan/lambdas.ts';
import type { ActionPlan, FunctionPlan, LambdaPlan } from '../../compiler/plan/plan.ts';
import { toJson } from '../../language/json.ts';
import { textOf } from '../../language/own-members.ts';
import { addDuration, parseDuration } from '../../time/durations.ts';
import { evaluate } from '../evaluation/evaluation.ts';
import { failure, type StateError } from '../evaluation/failures.ts';
import { evaluateWithSecrets, type SecretReader } from '../evaluation/secrets.ts';

/** An invocation of a workflow with all its values, as JSON; stored, sealed, for a call that is made later. */
export interface PreparedInvocation {
  /** A name or an ARN, with a version or an alias after a colon. */
  readonly function: string;
  readonly payload: unknown;
  /** The time for the invocation, milliseconds. */
  readonly ms: number;
  /** The secrets that the payload may contain, which no message shows. */
  readonly secrets: readonly string[];
}

/** A function of Lambda runs for 15 minutes at most. */
const MAX_MS = 15 * 60_000;
/** The largest payload that Lambda accepts of a call that waits for its result, bytes. */
const MAX_PAYLOAD = 6 * 1024 * 1024;

const invalid = (text: string): StateError => failure('lambda.request', `the invocation is invalid: ${text}`);

function nameOf({ function: name, qualifier }: Values): string {
  if (!isLambdaName(name)) throw invalid("'function' is neither the name nor the ARN of a Lambda function");
  if (qualifier === undefined || qualifier === null) return name;
  if (!isLambdaQualifier(qualifier)) throw invalid("'qualifier' is neither an alias nor a version");
  if (isQualified(name))
    throw invalid("the ARN in 'function' has a version or an alias already: leave 'qualifier' out");
  return `${name}:${textOf(qualifier)}`;
}

function msOf({ timeout }: Values): number {
  if (timeout === undefined || timeout === null) return DEFAULT_LAMBDA_MS;
  const duration = typeof timeout === 'string' ? parseDuration(timeout) : undefined;
  if (duration === undefined) throw invalid("'timeout' is no duration such as PT30S");
  return Math.min(Math.max(addDuration(0, duration), 1), MAX_MS);
}

type Values = { readonly [K in keyof LambdaPlan]?: unknown };

/**
 * The invocation of a call: the fields of the function and the action's input, evaluated over the data and the secrets
 * that the action lists. Throws `lambda.request` for one that cannot be made, `jq.badCommand` and `secrets.notFound`.
 */
export async function prepareInvocation(
  { invocation }: Extract<FunctionPlan, { readonly type: 'lambda' }>,
  { input, secrets: names }: Pick<ActionPlan, 'input' | 'secrets'>,
  data: unknown,
  readSecrets: SecretReader,
): Promise<PreparedInvocation> {
  const listed = names.length === 0 ? {} : await readSecrets(names);
  const evaluated = (query: unknown): Promise<unknown> =>
    names.length === 0 ? evaluate(query, data) : evaluateWithSecrets(query, data, listed);
  const values = (await evaluated(invocation)) as Values;
  const payload = await evaluated(input);
  if (Buffer.byteLength(toJson(payload)) > MAX_PAYLOAD) {
    throw failure(
      'lambda.tooLarge',
      `the input has more than the ${MAX_PAYLOAD / 1024 / 1024} MiB that Lambda accepts`,
    );
  }
  return { function: nameOf(values), payload, ms: msOf(values), secrets: Object.values(listed) };
}
