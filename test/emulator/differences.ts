/** What the tests say of themselves. */
interface Options {
  /** No wait that is to end otherwise lasts as long, seconds. */
  readonly longestWait: number;
}

/** A bug of the emulator that would hide too much of a machine, and what is run in place of what was written. */
interface Difference {
  readonly why: string;
  readonly field: string;
  readonly isMet: (value: unknown) => boolean;
  readonly instead: (options: Options) => unknown;
}

const isExpression = (value: unknown): boolean => typeof value === 'string' && value.startsWith('{%');

/**
 * Where the emulator departs from Step Functions and something else is run. The definition itself stays right for AWS.
 *
 * Met elsewhere: its own runtime for Node forgets the names of errors (the steps function has a runtime of its own), and
 * an execution that failed has an output (left out of the ending).
 *
 * Not mended, so a test must not rest on it: variables assigned together see each other's new values; Parallel ignores
 * Assign and Arguments, and a branch that fails waits for the others; the Output of Succeed and what belongs to a
 * Choice's Default are ignored; the machine's own TimeoutSeconds does not end a wait; when the function that takes a
 * token fails, the task waits on; a token can be answered again until the function that took it has returned.
 */
const DIFFERENCES: readonly Difference[] = [
  {
    why: 'a TimeoutSeconds that is an expression ends the execution; it gets a number instead',
    field: 'TimeoutSeconds',
    isMet: isExpression,
    instead: ({ longestWait }) => longestWait,
  },
];

const told = new Set<Difference>();

function tell(difference: Difference): void {
  if (!told.has(difference)) console.warn(`Changed for the emulator: ${difference.why}.`);
  told.add(difference);
}

/** The definition as the emulator can run it; says what it changed. */
export function adapted(definition: object, options: Options = { longestWait: 60 }): unknown {
  const met = new Set<Difference>();
  const text = JSON.stringify(definition, (field, value: unknown) => {
    const difference = DIFFERENCES.find((one) => one.field === field && one.isMet(value));
    if (difference === undefined) return value;
    met.add(difference);
    return difference.instead(options);
  });
  for (const difference of met) tell(difference);
  return JSON.parse(text) as unknown;
}
