import type { RecordedError } from './records.ts';

/** A failure with its place: the path of the workflow and the state. */
export interface LocatedError extends RecordedError {
  readonly file: string;
  readonly state: string;
}

/**
 * Where and why a state failed, as one line: `/shop:12:5, state 'pay', expression jq(.ordr.id), which saw an object:
 * {"order":1}; the value has `order`, not `ordr``.
 */
export function whereText({ file, at, state, expression, saw, near = [], unmatched = [], code }: LocatedError): string {
  const place = at === undefined ? file : `${file}:${at.line}:${at.column}`;
  const parts = [place, `state '${state}'`];
  if (expression !== undefined) parts.push(`expression ${expression}`);
  if (saw !== undefined) parts.push(`saw ${saw.type} ${saw.sample}`);
  const patterns = unmatched.map((pattern) => `'${pattern}'`).join(', ');
  const catches = patterns === '' ? [] : [`no pattern of catch matches '${code}': ${patterns}`];
  return [parts.join(', '), ...near, ...catches].join('; ');
}
