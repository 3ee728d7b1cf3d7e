#!/usr/bin/env node
import { type Command, Refusal, UsageError } from './command/command.ts';
import { COMMANDS } from './command/index.ts';

/** How the program ends, for scripts to tell. */
const EXIT = { good: 0, bad: 1, misused: 2 } as const;

const HELP = ['-h', '--help'];

const NOTES = ['--json            prints JSON', '--help            prints this'];

function helpOf(commands: readonly (readonly [name: string, command: Command])[]): string {
  const usages = commands.flatMap(([, { about, usage }]) => [
    ...usage.map((line) => `  weft ${line}`),
    `      ${about}`,
  ]);
  const notes = [...new Set([...commands.flatMap(([, command]) => command.notes), ...NOTES])];
  return ['Usage:', ...usages, '', 'Options:', ...notes.map((line) => `  ${line}`)].join('\n');
}

function misuse(message: string, help: string): number {
  console.error(`weft: ${message}\n\n${help}`);
  return EXIT.misused;
}

async function run(name: string, command: Command, args: readonly string[]): Promise<number> {
  const help = helpOf([[name, command]]);
  if (args.some((arg) => HELP.includes(arg))) {
    console.log(help);
    return EXIT.good;
  }
  try {
    const { text, isGood } = await command.run(args);
    console.log(text);
    return isGood ? EXIT.good : EXIT.bad;
  } catch (error) {
    if (error instanceof UsageError) return misuse(error.message, help);
    if (!(error instanceof Refusal)) throw error;
    console.error(`weft: ${error.message}`);
    return EXIT.bad;
  }
}

/** The command line: its first word names a command, which does the rest. Answers the exit code. */
async function main([name, ...args]: readonly string[]): Promise<number> {
  const help = helpOf(Object.entries(COMMANDS));
  if (name === undefined) return misuse('name a command', help);
  if (HELP.includes(name)) {
    console.log(`${help}\n\nExit codes: 0 done, 1 mistakes found or refused by the service, 2 wrong usage.`);
    return EXIT.good;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return command === undefined ? misuse(`there is no command '${name}'`, help) : run(name, command, args);
}

process.exitCode = await main(process.argv.slice(2));
