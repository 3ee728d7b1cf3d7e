import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/** The command line was not understood; the program ends with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The service said no, or could not be reached; the program ends with 1. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** What a command tells. One that found mistakes in what it was given is not good: the program ends with 1. */
export interface Outcome {
  readonly text: string;
  readonly isGood: boolean;
}

export interface Command {
  readonly about: string;
  /** The forms of the command without the program's name, one a line. */
  readonly usage: readonly string[];
  /** Lines on the options that are the command's own. */
  readonly notes: readonly string[];
  /** Throws UsageError and Refusal. */
  readonly run: (args: readonly string[]) => Promise<Outcome>;
}

/** Options that every command has. */
const COMMON = { json: { type: 'boolean' } } as const satisfies ParseArgsOptionsConfig;

type Parsed<O extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: O & typeof COMMON; allowPositionals: true }>
>;

/** What a command adds to what all have: its options, and what it does with their values and the other arguments. */
interface Definition<O extends ParseArgsOptionsConfig> extends Omit<Command, 'run'> {
  readonly options: O;
  readonly run: (values: Parsed<O>['values'], rest: readonly string[]) => Promise<Outcome>;
}

/** A command whose arguments are parsed by its options; what does not fit them is a UsageError. */
export function defineCommand<const O extends ParseArgsOptionsConfig>(definition: Definition<O>): Command {
  const { options, run, ...told } = definition;
  return {
    ...told,
    run: async (args) => {
      const { values, positionals } = parse({ ...COMMON, ...options }, args);
      return run(values as Parsed<O>['values'], positionals);
    },
  };
}

function parse(options: ParseArgsOptionsConfig, args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // The first sentence says what is wrong; the others explain how arguments are quoted.
    throw new UsageError(error.message.split('. ')[0] ?? error.message);
  }
}

export const good = (text: string): Outcome => ({ text, isGood: true });

export const toJson = (value: unknown): string => JSON.stringify(value, null, 2);
