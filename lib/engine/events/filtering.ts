import { ServiceError } from '../../domain/errors.ts';
import type { CloudEvent } from '../../events/cloud-event.ts';
import { decodeEvent } from '../../events/decode.ts';
import { isObject } from '../../language/json.ts';
import { ownMember } from '../../language/own-members.ts';
import { dataProblem } from '../evaluation/bounds.ts';
import { evaluate } from '../evaluation/evaluation.ts';
import { StateError } from '../evaluation/failures.ts';
import { onAccountOf } from '../evaluation/tenants.ts';

/** A problem of a script. `line` counts from 1; 0 when it is not known. */
interface ScriptProblem {
  readonly problem: string;
  readonly line: number;
}

type Answer = ScriptProblem | { readonly dropped: true } | { readonly event: unknown } | { readonly compiled: true };

/**
 * Runs inside the sandbox. The user's script is its data, so that the script may hold any brackets and an error has the
 * line in it: QuickJS puts two lines before the body of a function.
 */
const RUNNER = `
const lineOf = (error) => {
  try { return Number(/<input>:([0-9]+)/.exec(error.stack)[1]) - 2; } catch { return 0; }
};
const wrong = (error) => {
  try { return { problem: String(error), line: lineOf(error) }; } catch { return { problem: 'an error without a text', line: 0 }; }
};
let filter;
try { filter = new Function('event', 'nslog', data.script); } catch (error) { return wrong(error); }
if (typeof filter !== 'function') return { problem: 'SyntaxError: a bracket is closed that is not open', line: 0 };
if (data.event === null) return { compiled: true };
let event;
try { event = filter(data.event, () => {}); } catch (error) { return wrong(error); }
if (event === undefined || event === null || event === false) return { dropped: true };
if (typeof event === 'object' && !Array.isArray(event)) return { event };
return { problem: 'it returned ' + (Array.isArray(event) ? 'a list' : 'a ' + typeof event) + '; return the event, or null to drop it', line: 0 };
`;

/** The problem of a script that the sandbox ended, by the beginning of the sandbox's reason. */
const LIMITS: Readonly<Record<string, string>> = {
  timeout: 'it did not end in time',
  'out of memory': 'it took too much memory',
};

async function run(script: string, event: CloudEvent | null): Promise<Answer> {
  try {
    return (await evaluate(`js(${RUNNER})`, { script, event })) as Answer;
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    const reason = error.message.slice(error.message.lastIndexOf(': ') + 2);
    const limit = Object.keys(LIMITS).find((one) => reason.startsWith(one)) ?? '';
    return { problem: ownMember(LIMITS, limit) ?? reason, line: 0 };
  }
}

const MAX_PROBLEM_LENGTH = 300;

function toError(name: string, { problem, line }: ScriptProblem): ServiceError {
  const text = problem.slice(0, MAX_PROBLEM_LENGTH).toWellFormed();
  return new ServiceError('malformed', `event filter '${name}': ${text}${line > 0 ? ` (line ${line})` : ''}`);
}

/** An event filter of a namespace. */
export interface EventFilter {
  readonly namespaceId: string;
  readonly name: string;
  /** The body of a JavaScript function of `event`. */
  readonly script: string;
}

/** Throws `malformed`, with the line, for a text that is not the body of a JavaScript function. */
export async function needCompiling({ namespaceId, name, script }: EventFilter): Promise<void> {
  const answer = await onAccountOf({ id: namespaceId }, () => run(script, null));
  if ('problem' in answer) throw toError(name, answer);
}

/**
 * Runs an event through an event filter. Returns the event as the filter leaves it, or undefined when it drops it. The
 * script is the body of a function of `event` that returns an event; null, undefined and false drop it (rest-api
 * reference, A.8). Throws `malformed` for a script that fails, with its line, and for a result that is not an event.
 */
export async function filterEvent(
  { namespaceId, name, script }: EventFilter,
  event: CloudEvent,
  newId: () => string,
): Promise<CloudEvent | undefined> {
  const excess = dataProblem(event);
  if (excess !== undefined) throw new ServiceError('malformed', `event filter '${name}': the event is ${excess}`);
  const answer = await onAccountOf({ id: namespaceId }, () => run(script, event));
  if ('problem' in answer) throw toError(name, answer);
  if (!('event' in answer) || !isObject(answer.event)) return undefined;
  const decoded = decodeEvent(answer.event, newId);
  if ('event' in decoded) return decoded.event;
  throw toError(name, { problem: `what it returned is no event: ${decoded.problem.trim()}`, line: 0 });
}
