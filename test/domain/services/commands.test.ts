import { describe, expect, test } from 'vitest';
import { shownCommand, toWords } from '../../../lib/domain/services/commands.ts';

describe('a command', () => {
  test.each([
    ['', []],
    ['   ', []],
    ['run', ['run']],
    [' run   it\tnow\n', ['run', 'it', 'now']],
    ['echo "a b"', ['echo', 'a b']],
    ["echo 'a b'", ['echo', 'a b']],
    ["''", ['']],
    ['a "" b', ['a', '', 'b']],
    [`a"b c"d'e f'`, ['ab cde f']],
    ['a\\ b', ['a b']],
    ['\\"', ['"']],
    ['"a\\"b"', ['a"b']],
    ['"a\\nb"', ['a\\nb']],
    ['"a\\\\b"', ['a\\b']],
    ["'a\\b'", ['a\\b']],
    [`"it's"`, ["it's"]],
    ['a\\\nb', ['ab']],
    ['echo $HOME | wc', ['echo', '$HOME', '|', 'wc']],
    ['ä "ö ü" 😀', ['ä', 'ö ü', '😀']],
  ])('%j is split into %j', (command, words) => {
    expect(toWords(command)).toEqual(words);
  });

  test.each(['"a', "'a", 'a "b', '"a\\"', `'"`])('%j is rejected: a quote is not closed', (command) => {
    expect(() => toWords(command)).toThrow(/quote .* not closed/);
  });

  test.each(['a\\', '"a\\'])('%j is rejected: it ends in a backslash', (command) => {
    expect(() => toWords(command)).toThrow('ends in a backslash');
  });

  test('is shown as its words', () => {
    expect(shownCommand(toWords('sh -c "echo 1"'))).toBe('sh, -c, echo 1');
    expect(shownCommand([])).toBe('');
  });
});
