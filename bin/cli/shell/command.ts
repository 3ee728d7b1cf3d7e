import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { closestName } from '../../../lib/language/suggestions.ts';
import type { Terminal } from './terminal.ts';

/** The command line was not understood; the program ends with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The service said no; the program ends with 1, and with 3 where another key would be let in. */
export class CommandFailedError extends Error {
  override readonly name = 'CommandFailedError';
  /** The HTTP status; undefined where the service did as it was asked and the outcome is bad. */
  readonly status: number | undefined;
  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

/** Nothing that speaks our interface answers there; the program ends with 3. */
export class ServiceUnreachableError extends Error {
  override readonly name = 'ServiceUnreachableError';
  /** The same may work at the next moment. */
  readonly isPassing: boolean;
  constructor(message: string, isPassing = false) {
    super(message);
    this.isPassing = isPassing;
  }
}

/** What a command tells. One that found mistakes in what it was given is not good: the program ends with 1. */
export interface Outcome {
  /** Printed with a newline; nothing is printed for the empty text. */
  readonly text: string;
  readonly isGood: boolean;
}

export interface Command {
  readonly about: string;
  /** The forms of the command without the program's name, one a line. */
  readonly usage: readonly string[];
  /** Lines on the options that are the command's own. */
  readonly notes: readonly string[];
  /** The names of its options, for completion. */
  readonly flags: readonly string[];
  /** The words that may follow its name. */
  readonly words: readonly string[];
  /** Throws UsageError, CommandFailedError and ServiceUnreachableError. */
  readonly run: (args: readonly string[], terminal: Terminal) => Promise<Outcome>;
}

/** Options that every command has. */
const COMMON = { json: { type: 'boolean' } } as const satisfies ParseArgsOptionsConfig;

type Parsed<O extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: O & typeof COMMON; allowPositionals: true }>
>;

/** The values of options, as a command gets them. */
export type ValuesOf<O extends ParseArgsOptionsConfig> = Parsed<O>['values'];

/** What a command adds to what all have: its options, and what it does with their values and the other arguments. */
interface Definition<O extends ParseArgsOptionsConfig> extends Omit<Command, 'run' | 'flags' | 'words'> {
  readonly options: O;
  readonly words?: readonly string[];
  readonly run: (values: ValuesOf<O>, rest: readonly string[], terminal: Terminal) => Promise<Outcome>;
}

/** A command whose arguments are parsed by its options; what does not fit them is a UsageError. */
export function defineCommand<const O extends ParseArgsOptionsConfig>(definition: Definition<O>): Command {
  const { options, run, words = [], ...told } = definition;
  return {
    ...told,
    words,
    flags: Object.keys({ ...options, ...COMMON }),
    run: async (args, terminal) => {
      const { values, positionals } = parse({ ...COMMON, ...options }, args);
      return run(values as ValuesOf<O>, positionals, terminal);
    },
  };
}

function parse(options: ParseArgsOptionsConfig, args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // The first sentence says what is wrong; the others explain how arguments are quoted.
    const message = error.message.split(/\. |\n/)[0] ?? error.message;
    const unknown = /^Unknown option '--(.+)'$/.exec(message)?.[1];
    const near = unknown === undefined ? undefined : closestName(unknown, Object.keys(options));
    throw new UsageError(near === undefined ? message : `${message}; did you mean '--${near}'?`);
  }
}

export interface Verb<V> {
  /** The words that follow the verb, `[…]` around those that may be left out, `…` after one that may be repeated. */
  readonly takes: readonly string[];
  readonly run: (values: V, rest: readonly string[], terminal: Terminal) => Promise<Outcome>;
}

export type Verbs<V> = Readonly<Record<string, Verb<V>>>;

/** Does what the first word says, if as many words follow as it takes. Throws UsageError. */
export async function runVerb<V>(
  verbs: Verbs<V>,
  values: V,
  [name = '', ...rest]: readonly string[],
  terminal: Terminal,
): Promise<Outcome> {
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (verb === undefined) {
    const near = closestName(name, Object.keys(verbs));
    const meant = near === undefined || name === '' ? '' : `; did you mean '${near}'?`;
    throw new UsageError(`choose one of ${Object.keys(verbs).join(', ')}${meant}`);
  }
  needWords(name, verb.takes, rest);
  return verb.run(values, rest, terminal);
}

/** Throws UsageError unless as many words are given as are taken. */
export function needWords(name: string, takes: readonly string[], given: readonly string[]): void {
  const least = takes.filter((word) => !word.startsWith('[')).length;
  const most = takes.some((word) => word.includes('…')) ? Number.POSITIVE_INFINITY : takes.length;
  if (given.length >= least && given.length <= most) return;
  const form = takes.length === 0 ? 'no further word' : takes.join(' ');
  throw new UsageError(`'${name}' takes ${form}`);
}

export const good = (text: string): Outcome => ({ text, isGood: true });

export const toJson = (value: unknown): string => JSON.stringify(value, null, 2);

/** The outcome as JSON if that is asked for, else as a text. */
export function shown({ json }: { readonly json?: boolean | undefined }, value: unknown, text: () => string): Outcome {
  return good(json === true ? toJson(value) : text());
}

/** Columns as wide as their widest cell. */
export function toTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lineOf = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return rows.map((row) => lineOf(row).trimEnd()).join('\n');
}
