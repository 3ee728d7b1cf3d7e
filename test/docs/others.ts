import { globSync } from 'node:fs';
import { judgeScript } from './shell.ts';

/** What is wrong in a unit of systemd: its lines, and the command lines of Weft in it. */
export function unitProblems(text: string): string[] {
  const lines = text.split('\n').filter((line) => line !== '');
  const odd = lines.filter((line) => !/^(?:\[\w+\]|[A-Z]\w+=.*)$/.test(line));
  const commands = lines.flatMap((line) => /^Exec\w+=(?:\S*\/)?(.*)$/.exec(line)?.[1] ?? []);
  return [
    ...odd.map((line) => `'${line}' is no line of a unit`),
    ...commands.flatMap((line) => judgeScript(line).problems),
  ];
}

/** The files in a diagram that do not exist. */
export function diagramProblems(text: string): string[] {
  const paths = [...text.matchAll(/\b(?:bin|functions|lib)\/[\w./-]*[\w/]/g)].map(([path]) => path);
  return paths.filter((path) => globSync(path).length === 0).map((path) => `no file ${path}`);
}
