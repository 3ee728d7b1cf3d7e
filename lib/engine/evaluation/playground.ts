import { ServiceError, tooMany } from '../../domain/errors.ts';
import { syntaxProblem } from '../../events/json-syntax.ts';
import { toPrettyJson } from '../../language/json.ts';
import { parseJson } from '../../language/json-numbers.ts';
import { QueueFullError } from '../../language/sandbox/fair-queue.ts';
import { scanScripts } from '../../language/scripts/scripts.ts';
import { dataProblem, needBounded, textProblem } from './bounds.ts';
import { evaluate } from './evaluation.ts';
import { StateError } from './failures.ts';
import { onAccountOf } from './tenants.ts';

const NOT_BASE64 = /[^A-Za-z0-9+/=\r\n]/;

function decode(data: string): Buffer {
  const text = data.replace(/[\r\n]/g, '');
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') === text) return bytes;
  const at = NOT_BASE64.exec(data)?.index ?? Math.max(text.length - 1, 0);
  throw new ServiceError('malformed', `illegal base64 data at input byte ${at}: field data is base64 of JSON`);
}

const invalidData = (problem: string): ServiceError => new ServiceError('malformed', `invalid json data: ${problem}`);

function read(bytes: Buffer): unknown {
  try {
    return parseJson(bytes.toString());
  } catch (error) {
    throw invalidData(syntaxProblem(bytes) ?? (error as Error).message);
  }
}

function parse(bytes: Buffer): unknown {
  needNone(textProblem(bytes));
  const value = read(bytes);
  needNone(dataProblem(value));
  return value;
}

function needNone(problem: string | undefined): void {
  if (problem !== undefined) throw invalidData(problem);
}

/** False for a query that closes a bracket it did not open: the expression would end there, and the rest be plain text. */
function isWhole(expression: string): boolean {
  try {
    return scanScripts(expression).length === 1;
  } catch {
    return true;
  }
}

/** A query of a caller is for trying out: it has less time than one of a workflow, and few of them may wait. */
const DEADLINE_MS = 2_000;
const MAX_WAITING = 20;

/** A request to try a query. */
export interface Trial {
  readonly query: string;
  /** Base64 of JSON. */
  readonly data: string;
  /** The id of the caller's key: the callers take turns. */
  readonly callerId: string;
}

/**
 * Runs a query over base64 of JSON as a workflow does, as `jq(<query>)`, for at most two seconds. Returns its one result as
 * pretty JSON (rest-api reference, 14.2; an invalid request is 400 by the specification). Throws `malformed`, and
 * `too-many` while 20 queries of the caller wait.
 */
export async function run({ query, data, callerId }: Trial): Promise<string> {
  const input = parse(decode(data));
  const expression = `jq(${query === '' ? '.' : query})`;
  if (!isWhole(expression)) throw new ServiceError('malformed', `jq query ${query} closes a bracket that is not open`);
  const tenant = { id: `jq of ${callerId}`, deadlineMs: DEADLINE_MS, maxWaiting: MAX_WAITING };
  try {
    return toPrettyJson(needBounded(await onAccountOf(tenant, () => evaluate(expression, input))));
  } catch (error) {
    if (error instanceof QueueFullError) throw tooMany(`${MAX_WAITING} jq requests of this key wait`, 1);
    if (!(error instanceof StateError || error instanceof RangeError)) throw error;
    throw new ServiceError('malformed', `error executing JQ command: ${error.message}`);
  }
}
