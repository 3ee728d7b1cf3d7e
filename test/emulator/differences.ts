/** Parameters of the replacements. */
export interface AdaptOptions {
  /** The timeout of waits that end by something else, seconds. */
  readonly maxWaitSeconds: number;
  /** Functions are updated while they are called: the emulator, unlike AWS, ends these calls. */
  readonly updates?: boolean;
}

/**
 * A bug of the emulator that would leave too much of a machine untested, and a replacement for the field it concerns.
 */
interface Difference {
  readonly reason: string;
  readonly field: string;
  readonly matches: (value: unknown, options: AdaptOptions) => boolean;
  readonly replacement: (options: AdaptOptions, value: unknown) => unknown;
}

/** The error of a function whose process ended: on AWS, and in the emulator. */
const ENDED_PROCESS = 'Runtime.ExitError';
const ENDED_CALL = 'Runtime.HandlerError';

const isExpression = (value: unknown): boolean => typeof value === 'string' && value.startsWith('{%');

/**
 * The differences from Step Functions for which a definition is changed before the emulator runs it.
 *
 * Handled elsewhere: its runtime for Node loses the names of errors (the steps function has a custom runtime), and an
 * execution that failed has an output (ignored).
 *
 * Not handled, so no test may depend on it: variables assigned together see each other's new values; Parallel ignores
 * Assign and Arguments, and a branch that fails waits for the others; the Output of Succeed and the fields of a
 * Choice's Default are ignored; the TimeoutSeconds of the machine does not end a wait; when the function that receives
 * a token fails, the task keeps waiting (but see `failsTasks` in ministack.ts); a token can be answered again until the
 * function that received it has returned.
 */
const DIFFERENCES: readonly Difference[] = [
  {
    reason: 'a TimeoutSeconds that is an expression ends the execution; it is replaced by a number',
    field: 'TimeoutSeconds',
    matches: isExpression,
    replacement: ({ maxWaitSeconds }) => maxWaitSeconds,
  },
  {
    reason: 'a call whose process ended has another error than on AWS; it is retried all the same',
    field: 'ErrorEquals',
    matches: (value, { updates = false }) => updates && Array.isArray(value) && value.includes(ENDED_PROCESS),
    replacement: (_options, value) => [...(value as string[]), ENDED_CALL],
  },
];

const reported = new Set<Difference>();

function report(difference: Difference): void {
  if (!reported.has(difference)) console.warn(`Changed for the emulator: ${difference.reason}.`);
  reported.add(difference);
}

/** The definition as the emulator can run it. Prints what was changed, once. */
export function adaptDefinition(definition: object, options: AdaptOptions = { maxWaitSeconds: 60 }): unknown {
  const applied = new Set<Difference>();
  const text = JSON.stringify(definition, (field, value: unknown) => {
    const difference = DIFFERENCES.find((one) => one.field === field && one.matches(value, options));
    if (difference === undefined) return value;
    applied.add(difference);
    return difference.replacement(options, value);
  });
  for (const difference of applied) report(difference);
  return JSON.parse(text) as unknown;
}
