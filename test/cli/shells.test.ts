import { execFileSync, spawnSync } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWorkspace, type Workspace } from './workspace.ts';

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

let workspace: Workspace;
beforeAll(async () => {
  workspace = await openWorkspace();
  for (const shell of ['fish', 'zsh']) {
    await workspace.write({ [`weft.${shell}`]: (await workspace.weft(['completion', shell])).out });
  }
  // The program that the scripts ask for names answers with the kind of names that it was asked for.
  await workspace.write({ 'bin/weft': '#!/bin/sh\necho "lo-$3"\n', 'lo-file': '' });
  await chmod(join(workspace.folder, 'bin/weft'), 0o755);
});
afterAll(() => workspace.clear());

/** Runs a shell in the workspace, which is its home too, and returns what it prints. */
const run = (command: string, args: readonly string[]): string =>
  execFileSync(command, args, {
    encoding: 'utf8',
    cwd: workspace.folder,
    env: { ...process.env, HOME: workspace.folder, PATH: `${join(workspace.folder, 'bin')}:${process.env['PATH']}` },
  });

describe.skipIf(!has('fish'))('the script for fish (skipped: fish is not installed)', () => {
  /** The words that fish offers for a line. */
  const complete = (line: string): string[] =>
    run('fish', ['--no-config', '-c', `source weft.fish; complete -C '${line}'`])
      .split('\n')
      .filter((row) => row !== '')
      .map((row) => row.split('\t')[0] ?? '');

  test.each([
    ['weft wor', ['workers', 'workflows']],
    ['weft workflows hi', ['history']],
    ['weft workflows get lo', ['lo-workflows']],
    ['weft workflows get workflows lo', ['lo-workflows']],
    ['weft cancel lo', ['lo-runs']],
    ['weft exec lo', ['lo-file', 'lo-workflows']],
    ['weft exec -n lo', ['lo-namespaces']],
    ['weft push --dr', ['--dry-run']],
    ['weft cancel --dr', []],
  ])('completes %s', (line, words) => {
    expect(complete(line).sort()).toEqual(words);
  });
});

/** Types a line and a tab in a terminal of zsh, and prints what it then shows. */
const TYPING = String.raw`zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z 'unset zle_bracketed_paste; autoload -U compinit && compinit -u -D; source weft.zsh; show() { print -r -- "<<$BUFFER>>"; BUFFER=; zle accept-line }; zle -N show; bindkey "^G" show; print re""ady'
zpty -r z out '*ready*'
zpty -w -n z "$1"$'\t\x07'
zpty -r z out '*<<*>>*' && print -r -- "$out"
zpty -d z`;

describe.skipIf(!has('zsh'))('the script for zsh (skipped: zsh is not installed)', () => {
  /** The line after zsh completed it. */
  const complete = (line: string): string => /<<(.*?)>>/.exec(run('zsh', ['-f', '-c', TYPING, 'zsh', line]))?.[1] ?? '';

  test.each([
    ['weft workf', 'weft workflows '],
    ['weft workflows hi', 'weft workflows history '],
    ['weft workflows get lo', 'weft workflows get lo-workflows '],
    ['weft push --dr', 'weft push --dry-run '],
    ['weft exec -n lo', 'weft exec -n lo-namespaces '],
  ])('completes %s', (line, completed) => {
    expect(complete(line)).toBe(completed);
  });
});
