import { parseArgs } from 'node:util';
import { ownMember } from '../../../lib/language/own-members.ts';
import { closestName } from '../../../lib/language/suggestions.ts';
import type { Terminal } from './terminal.ts';

/** The command line is wrong; the program exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The service rejected a request, or a run failed; the program exits with 1, and with 3 if the key is not accepted. */
export class CommandFailedError extends Error {
  override readonly name = 'CommandFailedError';
  /** The HTTP status; undefined if the service did what was requested and the outcome is a failure. */
  readonly status: number | undefined;
  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

/** No service of ours replies at the address; the program exits with 3. */
export class ServiceUnreachableError extends Error {
  override readonly name = 'ServiceUnreachableError';
  /** The connection broke: a retry may succeed. */
  readonly isTransient: boolean;
  constructor(message: string, isTransient = false) {
    super(message);
    this.isTransient = isTransient;
  }
}

/** The result of a command. A command that found problems in its input is no success: the program exits with 1. */
export interface Outcome {
  /** Printed with a newline; nothing is printed for the empty text. */
  readonly text: string;
  readonly isSuccess: boolean;
  /** The text is data, such as the output of a run: it is printed as it is, unless the standard output is a terminal. */
  readonly isData?: boolean;
}

/** An option of a command: how `parseArgs` reads it, and its help. */
export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: boolean;
  /** The placeholder of its value in the help: `URL`. */
  readonly value?: string;
  /** The description of the option, without a period; for another name of an option, that option. */
  readonly help: string | { readonly aliasOf: string };
}

export type Options = Readonly<Record<string, Option>>;

/** A command as the table of commands holds it. */
export interface Command {
  /** The description of the command, as a sentence without its period. */
  readonly about: string;
  /** The forms of the command without the program's name, one a line. */
  readonly usage: readonly string[];
  readonly options: Options;
  /** Sentences for its help, beside those of its options. */
  readonly notes: readonly string[];
  /** The words that may follow its name, for completion. */
  readonly words: readonly string[];
  /** Lines for the help when it is requested beside these arguments. */
  readonly helpOn?: (args: readonly string[], terminal: Terminal) => Promise<readonly string[]>;
  /** Throws UsageError, CommandFailedError and ServiceUnreachableError. */
  readonly run: (args: readonly string[], terminal: Terminal) => Promise<Outcome>;
}

const COMMON = { json: { type: 'boolean', help: 'print JSON' } } as const satisfies Options;

/** The options of every command. `--help` is read before a command is run. */
export const COMMON_OPTIONS: Options = { ...COMMON, help: { type: 'boolean', help: 'print this help' } };

type Parsed<O extends Options> = ReturnType<typeof parseArgs<{ options: O & typeof COMMON; allowPositionals: true }>>;

/** The values of options, as a command receives them. */
export type ValuesOf<O extends Options> = Parsed<O>['values'];

type Run<V> = (values: V, args: readonly string[], terminal: Terminal) => Promise<Outcome>;

interface Definition<O extends Options> extends Omit<Command, 'run' | 'options' | 'words' | 'notes'> {
  readonly options: O;
  readonly notes?: readonly string[];
  readonly words?: readonly string[];
  readonly run: Run<ValuesOf<O>>;
}

/** A command whose arguments are parsed by its options. Arguments that do not fit them are a UsageError. */
export function defineCommand<const O extends Options>(definition: Definition<O>): Command {
  const { options, run, notes = [], words = [], about, usage, helpOn } = definition;
  return {
    ...(helpOn && { helpOn }),
    about,
    usage,
    notes,
    words,
    options,
    run: async (args, terminal) => {
      const { values, positionals } = parse({ ...COMMON, ...options }, args);
      return run(values as ValuesOf<O>, positionals, terminal);
    },
  };
}

function parse(options: Options, args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // Only the first sentence names the problem; the others explain how arguments are quoted.
    const message = error.message.split(/\. |\n/)[0] ?? error.message;
    const unknown = /^Unknown option '--(.+)'$/.exec(message)?.[1];
    const near = unknown === undefined ? undefined : closestName(unknown, Object.keys(options));
    throw new UsageError(near === undefined ? message : `${message}; did you mean '--${near}'?`);
  }
}

/** One of the actions of a command, selected by the first argument. */
export interface Verb<V> {
  /** The arguments after the verb: `[…]` around an optional one, `…` in one that may be repeated. */
  readonly takes: readonly string[];
  readonly run: Run<V>;
}

/** The actions of a command by their names. */
export type Verbs<V> = Readonly<Record<string, Verb<V>>>;

interface VerbsDefinition<O extends Options> extends Omit<Definition<O>, 'run' | 'words'> {
  readonly verbs: Verbs<ValuesOf<O>>;
  /** The verb of a command without arguments. */
  readonly defaultVerb?: string;
}

/** A command that is a table of verbs. An unknown verb, or a wrong number of arguments, is a UsageError. */
export function defineVerbs<const O extends Options>(definition: VerbsDefinition<O>): Command {
  const { verbs, defaultVerb, ...common } = definition;
  return defineCommand<O>({
    ...common,
    words: Object.keys(verbs),
    run: (values, args, terminal) => {
      const [name = defaultVerb ?? '', ...rest] = args;
      const verb = needVerb(verbs, name);
      needArguments(name, verb.takes, rest);
      return verb.run(values, rest, terminal);
    },
  });
}

/** A UUID, as of a run. */
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function needVerb<V>(verbs: Verbs<V>, name: string): Verb<V> {
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (verb !== undefined) return verb;
  const near = name === '' ? undefined : closestName(name, Object.keys(verbs));
  const shows = ['get', 'show'].filter((one) => Object.hasOwn(verbs, one)).map((one) => `'${one} ${name}'`);
  const isIdOfOne = ID.test(name) && shows.length > 0;
  const suggestion = isIdOfOne
    ? `; for what has this id, write ${shows.join(' or ')}`
    : near === undefined
      ? ''
      : `; did you mean '${near}'?`;
  throw new UsageError(`expected one of ${Object.keys(verbs).join(', ')}${suggestion}`);
}

/** Throws UsageError unless the number of arguments is allowed. */
export function needArguments(name: string, takes: readonly string[], given: readonly string[]): void {
  const least = takes.filter((word) => !word.startsWith('[')).length;
  const most = takes.some((word) => word.includes('…')) ? Number.POSITIVE_INFINITY : takes.length;
  if (given.length >= least && given.length <= most) return;
  throw new UsageError(`'${name}' takes ${takes.length === 0 ? 'no arguments' : takes.join(' ')}`);
}

/** The outcome of a command that succeeded. */
export const success = (text: string): Outcome => ({ text, isSuccess: true });

/** The outcome of a command that prints data, such as the source of a workflow. */
export const data = (text: string): Outcome => ({ text, isSuccess: true, isData: true });

/** JSON as commands print it. */
export const toJson = (value: unknown): string => JSON.stringify(value, null, 2);

/** The outcome of a command that succeeded: as JSON if that is requested, else as a text. */
export function result({ json }: { readonly json?: boolean | undefined }, value: unknown, text: () => string): Outcome {
  return success(json === true ? toJson(value) : text());
}

/** A number with its noun: `1 run`, `2 runs`; the plural adds an s unless it is given. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;

/** A number of bytes as a person reads it: `740 B`, `2.5 MB`. */
export function sizeText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const amount = bytes / 1000 ** power;
  return `${power === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[power]}`;
}

/** A time with milliseconds at most; the service may answer microseconds. */
export const inMilliseconds = (time: string): string => time.replace(/(\.\d{3})\d+Z$/, '$1Z');

/** Rows as columns that are as wide as their widest cell. */
export function toTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lineOf = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return rows.map((row) => lineOf(row).trimEnd()).join('\n');
}

/** Why a module of the service cannot be imported, by the code of the error. */
const IMPORT_PROBLEMS: Readonly<Record<string, string>> = {
  ERR_MODULE_NOT_FOUND: 'this package has no service; run it in a clone of the repository, or deploy it to AWS',
  ERR_UNKNOWN_BUILTIN_MODULE: `this command needs Node 22.13 or newer, and this is ${process.version}; install a newer one`,
};

/**
 * Imports a module of the service. Throws UsageError, with the reason, if the published package does not contain the module
 * or if Node is too old for it.
 */
export async function importOrExplain<T>(importModule: () => Promise<T>): Promise<T> {
  try {
    return await importModule();
  } catch (error) {
    const problem = ownMember(IMPORT_PROBLEMS, (error as NodeJS.ErrnoException).code ?? '');
    if (problem === undefined) throw error;
    throw new UsageError(problem);
  }
}
