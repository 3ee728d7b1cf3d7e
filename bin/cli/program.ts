import { closestName } from '../../lib/language/suggestions.ts';
import { COMMANDS } from './commands/index.ts';
import { type Command, CommandFailedError, ServiceUnreachableError, UsageError } from './shell/command.ts';
import type { Terminal } from './shell/terminal.ts';

/** How the program ends, for scripts to tell. */
export const EXIT = { good: 0, bad: 1, misused: 2, shut: 3, interrupted: 130 } as const;

export const EXIT_CODES =
  'Exit codes: 0 done, 1 it failed or was refused, 2 wrong usage, 3 no service there or the key is not let in, 130 Ctrl-C.';

const HELP = ['-h', '--help'];
const KEY_STATUSES: readonly (number | undefined)[] = [401, 403];

export const COMMON_NOTES = ['--json            prints JSON', '--help            prints this'];

/** The names and one line on each command. */
function overview(): string {
  const names = Object.keys(COMMANDS);
  const width = Math.max(...names.map((name) => name.length));
  const lines = Object.entries(COMMANDS).map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}`);
  return ['Usage: weft COMMAND …', '', ...lines, '', "'weft help COMMAND' tells its options.", EXIT_CODES].join('\n');
}

/** How a command is used. */
export function helpOf({ about, usage, notes }: Command): string {
  const forms = usage.map((line) => `  weft ${line}`);
  return [
    `${about}.`,
    '',
    'Usage:',
    ...forms,
    '',
    'Options:',
    ...[...notes, ...COMMON_NOTES].map((l) => `  ${l}`),
  ].join('\n');
}

const find = (name: string): Command | undefined => (Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined);

function need(name: string): Command {
  const command = find(name);
  if (command !== undefined) return command;
  const near = closestName(name, Object.keys(COMMANDS));
  throw new UsageError(`there is no command '${name}'${near === undefined ? '' : `; did you mean '${near}'?`}`);
}

const isHelp = (word: string | undefined): boolean => word === 'help' || HELP.includes(word ?? '');

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined) throw new UsageError('name a command');
  if (isHelp(name)) {
    await terminal.write(`${rest[0] === undefined ? overview() : helpOf(need(rest[0]))}\n`);
    return EXIT.good;
  }
  const command = need(name);
  const own = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  if (own.some((word) => HELP.includes(word))) {
    await terminal.write(`${helpOf(command)}\n`);
    return EXIT.good;
  }
  const { text, isGood } = await command.run(rest, terminal);
  if (text !== '') await terminal.write(`${text}\n`);
  return isGood ? EXIT.good : EXIT.bad;
}

function codeOf(error: unknown, { signal }: Terminal): number | undefined {
  if (signal.aborted) return EXIT.interrupted;
  if (error instanceof UsageError) return EXIT.misused;
  if (error instanceof ServiceUnreachableError) return EXIT.shut;
  if (error instanceof CommandFailedError) return KEY_STATUSES.includes(error.status) ? EXIT.shut : EXIT.bad;
  return undefined;
}

const hintOf = (name: string | undefined): string =>
  `see 'weft help${name === undefined || find(name) === undefined ? '' : ` ${name}`}'`;

/** The command line: its first word names a command, which does the rest. Answers the exit code. */
export async function main(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await run(args, terminal);
  } catch (error) {
    const code = codeOf(error, terminal);
    if (code === undefined) throw error;
    const message = error instanceof Error ? error.message : String(error);
    const hint = code === EXIT.misused ? ` (${hintOf(args[0])})` : '';
    if (code !== EXIT.interrupted) terminal.tell(`weft: ${message}${hint}`);
    return code;
  }
}
