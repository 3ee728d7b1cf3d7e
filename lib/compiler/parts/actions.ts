import { omitUndefined } from '../../language/omit-undefined.ts';
import { reportInvalid } from '../decoding/context.ts';
import {
  anyText,
  createDecoder,
  duration,
  integer,
  list,
  number,
  query,
  required,
  text,
} from '../decoding/decoders.ts';
import { object } from '../decoding/object.ts';
import type { ActionPlan } from '../plan/plan.ts';

const maxAttempts = createDecoder({ kind: 'integer', isRequired: true, except: 0 }, (node, field, context) => {
  const attempts = integer(node, field, context) ?? 0;
  if (attempts === 0) {
    const hint = () => 'write max_attempts: 3 for three retries';
    reportInvalid(context, node ?? field, 'maxAttempts required to be more than 0', hint);
  }
  return attempts;
});

/** The empty pattern matches every code. */
const patternList = list(anyText);

const codes = createDecoder({ ...patternList.accepts, isRequired: true }, (node, field, context) => {
  const patterns = patternList(node, field, context);
  if (patterns.length === 0) {
    const hint = () => "codes: ['.*'] matches every code";
    reportInvalid(context, node ?? field, 'retry policy requires at least one defined code', hint);
  }
  return patterns;
});

const functionId = createDecoder({ kind: 'function', isRequired: true }, (node, field, context) => {
  const name = text(node, field, context) ?? '';
  if (name === '') {
    const hint = () => "write 'function: ' and the id of a function declared under 'functions'";
    reportInvalid(context, field, 'must define at least one function or workflow', hint);
  } else {
    const { line, column } = node ?? field;
    context.calls.push({ field: field.name, name, line, column });
  }
  return name;
});

/** When a call that failed is repeated; undefined: never. */
export const retries = object({ max_attempts: maxAttempts, delay: duration, multiplier: number, codes });

/** An action that may be left out. */
export const optionalAction = object({
  function: functionId,
  input: query,
  secrets: list(text),
  retries,
  files: list(object({ key: required(text), as: text, scope: text, type: text, permissions: text }), {
    prefix: 'files',
  }),
});

/** An action: the function to call, its input and files, and the retries (workflow-language 2.1, 7.5). */
export const action = required(optionalAction);

type DecodedAction = ReturnType<typeof action>;
type DecodedRetries = NonNullable<ReturnType<typeof retries>>;

const isPresent = (value: string | undefined): value is string => value !== undefined;

/** Returns the plan of an action. */
export function toAction({ function: name, input, secrets, files, ...decoded }: DecodedAction): ActionPlan {
  return {
    function: name,
    ...omitUndefined({ input, retries: decoded.retries && toRetries(decoded.retries) }),
    secrets: secrets.filter(isPresent),
    files: files.map((file) => ({ key: '', ...omitUndefined(file ?? {}) })),
  };
}

/** Returns the plan of retries. */
export function toRetries(decoded: DecodedRetries): NonNullable<ActionPlan['retries']> {
  const { max_attempts, delay, multiplier = 0, codes: patterns } = decoded;
  return { maxAttempts: max_attempts, ...omitUndefined({ delay }), multiplier, codes: patterns.filter(isPresent) };
}
