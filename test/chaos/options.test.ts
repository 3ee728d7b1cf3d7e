import { expect, test } from 'vitest';
import { HELP, OptionError, readOptions } from './options.ts';

test('without options, the usual modes run 40 rounds, with a seed that is drawn', () => {
  expect(readOptions([], 123)).toEqual({
    ...{
      modes: ['kills', 'points', 'crowds', 'faults', 'restarts'],
      rounds: 40,
      seed: 123,
      longest: 5,
      only: undefined,
    },
  });
});

test('options name modes, rounds, the seed, the longest outage and attacks', () => {
  const args = ['--attacks', '--kills', '--rounds', '7', '--seed', '0', '--longest', '120', '--only', 'forks,loops'];
  expect(readOptions(args, 123)).toEqual({
    ...{ modes: ['kills', 'attacks'], rounds: 7, seed: 0, longest: 120, only: ['forks', 'loops'] },
  });
});

test('the help names every mode and option', () => {
  expect(readOptions(['--kills', '--help'], 1)).toBe('help');
  for (const option of ['kills', 'points', 'faults', 'restarts', 'attacks', 'rounds', 'seed', 'longest', 'only']) {
    expect(HELP).toContain(`--${option}`);
  }
});

test.each([
  [['--rounds', 'ten'], "--rounds is 'ten'; it must be a whole number from 1"],
  [['--rounds', '0'], "--rounds is '0'; it must be a whole number from 1"],
  [['--seed', '-1'], "Option '--seed' argument is ambiguous"],
  [['--seed', ''], "--seed is ''; it must be a whole number from 0"],
  [['--longest', '0.5'], "--longest is '0.5'; it must be a whole number from 1"],
  [['--storms'], "Unknown option '--storms'"],
  [['kills'], 'Unexpected argument'],
])('the arguments %j are rejected: %s', (args, message) => {
  expect(() => readOptions(args, 1)).toThrow(OptionError);
  expect(() => readOptions(args, 1)).toThrow(message);
});
