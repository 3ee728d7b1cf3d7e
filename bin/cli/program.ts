import { closestName } from '../../lib/language/suggestions.ts';
import { loadAll, loadCommand, NAMES } from './commands/index.ts';
import { type Command, CommandFailedError, ServiceUnreachableError, toTable, UsageError } from './shell/command.ts';
import { helpOf } from './shell/help.ts';
import type { Terminal } from './shell/terminal.ts';
import { withVisibleControls } from './shell/visible-text.ts';

/** The exit codes of the program. */
export const EXIT = { success: 0, failure: 1, usage: 2, noAccess: 3, interrupted: 130 } as const;

export const EXIT_CODES =
  'Exit codes: 0 success, 1 failure, 2 wrong usage, 3 no service at the address or key not accepted, 130 interrupted.';

const HELP = ['-h', '--help'];
const VERSION = ['--version', '-v'];
const KEY_STATUSES: readonly (number | undefined)[] = [401, 403];

async function overview(): Promise<string> {
  const lines = toTable(Object.entries(await loadAll()).map(([name, { about }]) => [`  ${name}`, about]));
  return ['Usage: weft COMMAND …', '', lines, '', "'weft help COMMAND' prints its options.", EXIT_CODES].join('\n');
}

async function need(name: string): Promise<Command> {
  const command = await loadCommand(name);
  if (command !== undefined) return command;
  const near = closestName(name, NAMES);
  throw new UsageError(`unknown command '${name}'${near === undefined ? '' : `; did you mean '${near}'?`}`);
}

const isHelp = (word: string | undefined): boolean => word === 'help' || HELP.includes(word ?? '');

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || isHelp(name)) {
    await terminal.print(`${rest[0] === undefined ? await overview() : helpOf(await need(rest[0]))}\n`);
    return EXIT.success;
  }
  const command = await need(VERSION.includes(name) ? 'version' : name);
  const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  if (own.some((word) => HELP.includes(word))) {
    const words = own.filter((word) => !word.startsWith('-'));
    const more = (await command.helpOn?.(words, terminal)) ?? [];
    await terminal.print(`${[helpOf(command), ...(more.length > 0 ? ['', ...more] : [])].join('\n')}\n`);
    return EXIT.success;
  }
  const { text, isSuccess, isData } = await command.run(rest, terminal);
  const line = `${text}\n`;
  if (text !== '') await terminal.print(isData ? Buffer.from(line) : line);
  return isSuccess ? EXIT.success : EXIT.failure;
}

function exitCodeOf(error: unknown, { signal }: Terminal): number | undefined {
  if (signal.aborted) return EXIT.interrupted;
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof ServiceUnreachableError) return EXIT.noAccess;
  if (error instanceof CommandFailedError) return KEY_STATUSES.includes(error.status) ? EXIT.noAccess : EXIT.failure;
  return undefined;
}

const hintOf = (name: string | undefined): string =>
  `see 'weft help${name === undefined || !NAMES.includes(name) ? '' : ` ${name}`}'`;

/** Runs the command that the first argument names, and returns the exit code. Errors are printed in one line. */
export async function main(args: readonly string[], screen: Terminal): Promise<number> {
  const terminal = withVisibleControls(screen);
  try {
    const code = await run(args, terminal);
    // A command that serves until Ctrl-C ends without an error; its exit code is that of an interruption.
    return terminal.signal.aborted ? EXIT.interrupted : code;
  } catch (error) {
    const code = exitCodeOf(error, terminal);
    if (code === undefined) throw error;
    const message = error instanceof Error ? error.message : String(error);
    const hint = code === EXIT.usage ? ` (${hintOf(args[0])})` : '';
    if (code !== EXIT.interrupted) terminal.printStatus(`weft: ${message}${hint}`);
    return code;
  }
}
