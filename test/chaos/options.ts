import { parseArgs } from 'node:util';
import { MODES, type ModeName } from './modes.ts';

/** The options of a start of the program. */
export interface ChaosOptions {
  /** The modes in the order in which they run. */
  readonly modes: readonly ModeName[];
  readonly rounds: number;
  readonly seed: number;
  /** The longest fault, seconds. */
  readonly longest: number;
  /** The cases to run, of modes whose cases have names; undefined: all. */
  readonly only: readonly string[] | undefined;
}

/** A mistake in the options; the message is for the user. */
export class OptionError extends Error {
  override readonly name = 'OptionError';
}

const NAMES = Object.keys(MODES) as ModeName[];

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  rounds: { type: 'string' },
  seed: { type: 'string' },
  longest: { type: 'string' },
  only: { type: 'string' },
} as const;

const WIDTH = 14;
const row = (option: string, about: string): string => `  ${option.padEnd(WIDTH)} ${about}`;

/** The text of `--help`. */
export const HELP = [
  'Usage: npm run chaos -- [options]',
  '',
  'Disturbs the service and checks that nothing is stuck, lost, doubled or crashed.',
  'The last line is `N passed, N failed`; the exit code is 1 if something failed.',
  '',
  'Modes; without one of them, those marked with * run:',
  ...NAMES.map((name) => row(`--${name}`, `${MODES[name].isUsual ? '* ' : '  '}${MODES[name].about}`)),
  '',
  'Options:',
  row(
    '--rounds N',
    'rounds of kills, crowds, faults and restarts, and pairs of crash points of each workload; default 40',
  ),
  row('--seed S', 'the same seed makes the same choices; by default another one each time'),
  row('--longest S', 'the longest outage of the mode faults, seconds from 1; default 5'),
  row('--only NAMES', 'names of attacks, crowds or cases of restarts, separated by commas'),
  row('--help', 'prints this text'),
].join('\n');

const DEFAULTS = { rounds: 40, longest: 5 };

function numberOf(name: string, text: string | undefined, byDefault: number, least: number): number {
  const number = text === undefined ? byDefault : Number(text);
  if (text !== '' && Number.isSafeInteger(number) && number >= least) return number;
  throw new OptionError(`--${name} is '${text}'; it must be a whole number from ${least}`);
}

function valuesOf(args: readonly string[]): Readonly<Record<string, string | boolean | undefined>> {
  const modes = Object.fromEntries(NAMES.map((name) => [name, { type: 'boolean' } as const]));
  try {
    return parseArgs({ args: [...args], options: { ...OPTIONS, ...modes } }).values;
  } catch (error) {
    throw new OptionError(error instanceof Error ? error.message : String(error));
  }
}

const textOf = (value: string | boolean | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

/**
 * Reads the arguments of the program; `help` if they ask for the help. `random`: the seed if they name none. Throws
 * OptionError.
 */
export function readOptions(args: readonly string[], random: number): ChaosOptions | 'help' {
  const values = valuesOf(args);
  if (values['help'] === true) return 'help';
  const chosen = NAMES.filter((name) => values[name] === true);
  return {
    modes: chosen.length > 0 ? chosen : NAMES.filter((name) => MODES[name].isUsual),
    rounds: numberOf('rounds', textOf(values['rounds']), DEFAULTS.rounds, 1),
    seed: numberOf('seed', textOf(values['seed']), random, 0),
    longest: numberOf('longest', textOf(values['longest']), DEFAULTS.longest, 1),
    only: textOf(values['only'])?.split(','),
  };
}
