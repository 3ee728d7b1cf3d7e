import type { ActionPlan } from '../plan/plan.ts';
import { given } from '../read/given.ts';
import { refuse } from '../read/reading.ts';
import { record } from '../read/record.ts';
import { duration, integer, list, needed, number, query, type Shape, text } from '../read/shape.ts';

const maxAttempts: Shape<number> = (node, place, reading) => {
  const attempts = integer(node, place, reading) ?? 0;
  if (attempts === 0) refuse(reading, node ?? place, 'maxAttempts required to be more than 0');
  return attempts;
};

const codes: Shape<readonly (string | undefined)[]> = (node, place, reading) => {
  const patterns = list(text)(node, place, reading);
  if (patterns.length === 0) {
    refuse(reading, node ?? place, 'retry policy requires at least one defined code', () => "['.*'] means every code");
  }
  return patterns;
};

const functionName: Shape<string> = (node, place, reading) => {
  const name = text(node, place, reading) ?? '';
  if (name === '') refuse(reading, place, 'must define at least one function or workflow');
  else
    reading.calls.push({
      slot: place.name,
      name,
      line: node?.line ?? place.line,
      column: node?.column ?? place.column,
    });
  return name;
};

/** What to call, with what, and what to do when it fails (workflow-language 2.1, 7.5). */
export const action = record({
  function: functionName,
  input: query,
  secrets: list(text),
  retries: record({ max_attempts: maxAttempts, delay: duration, multiplier: number, codes }),
  files: list(record({ key: text, as: text, scope: text, type: text })),
});

export const neededAction = needed(action);

type Written = NonNullable<ReturnType<typeof action>>;
type Retries = NonNullable<Written['retries']>;

const isText = (value: string | undefined): value is string => value !== undefined;

export function toAction({ function: name, input, secrets, retries, files }: Written): ActionPlan {
  return {
    function: name,
    ...given({ input, retries: retries && toRetries(retries) }),
    secrets: secrets.filter(isText),
    files: files.map((file) => ({ key: '', ...given(file ?? {}) })),
  };
}

function toRetries({
  max_attempts,
  delay,
  multiplier = 0,
  codes: patterns,
}: Retries): NonNullable<ActionPlan['retries']> {
  return { maxAttempts: max_attempts, ...given({ delay }), multiplier, codes: patterns.filter(isText) };
}
