import type { Problem } from '../../language/problem.ts';
import { parseYaml } from '../../language/yaml/parser.ts';
import type { Edit, Mend } from '../reports/finding.ts';
import { lineEdit } from './fields.ts';
import { applyMends, lineMend, replaceAt } from './text.ts';

/** A possible cause of a text that is not YAML: its explanation and the correction. */
interface Cause {
  readonly hint: string;
  readonly mend: Mend;
}

const FIELD = /^(\s*(?:- +)*[\w.-]+:[ \t]+)(\S.*)$/;
const ITEM = /^(\s*- +)([^\s'"{[|>&*!].*)$/;

function quoted(line: string, number: number): Cause[] {
  const [, before = '', value = ''] = FIELD.exec(line.trimEnd()) ?? ITEM.exec(line.trimEnd()) ?? [];
  if (value === '' || /^['"|>]/.test(value)) return [];
  const edit = replaceAt({ line: number, column: before.length + 1 }, value.length, `'${value.replaceAll("'", "''")}'`);
  const what = /: |: *$/.test(value)
    ? "': '"
    : /#/.test(value)
      ? "' #'"
      : /^[{[]/.test(value)
        ? 'a bracket'
        : 'characters of YAML';
  return [
    { hint: `the value has ${what}: put it in quotes`, mend: lineMend('put the value in quotes', false, [edit]) },
  ];
}

function spaced(line: string, number: number): Cause[] {
  const found = /^(\s*(?:- +)*[\w.-]+:)(?=[^\s:/])/.exec(line) ?? /^(\s*-)(?=[^\s-])/.exec(line);
  if (found === null) return [];
  const edit = replaceAt({ line: number, column: found[0].length + 1 }, 0, ' ');
  const sign = found[0].endsWith('-') ? '-' : ':';
  return [{ hint: `a blank is missing after '${sign}'`, mend: lineMend('add the blank', true, [edit]) }];
}

function withoutTabs(lines: readonly string[]): Cause[] {
  const edits = lines.flatMap((line, index): Edit[] => {
    const found = /^[ ]*\t[ \t]*/.exec(line)?.[0];
    if (found === undefined) return [];
    return [replaceAt({ line: index + 1, column: 1 }, found.length, found.replaceAll('\t', '  '))];
  });
  if (edits.length === 0) return [];
  return [
    { hint: 'indent with spaces: YAML does not allow tabs', mend: lineMend('replace tabs by spaces', true, edits) },
  ];
}

const indentOf = (line: string): number => /^ */.exec(line)?.[0].length ?? 0;

/** Indents the line as one of its neighbours, the nearest indentation first. */
function reindented(lines: readonly string[], number: number): Cause[] {
  const line = lines[number - 1] ?? '';
  const own = indentOf(line);
  const near = lines.slice(Math.max(0, number - 8), number + 3).filter((one) => one.trim() !== '');
  const indents = [...new Set(near.flatMap((one) => [indentOf(one), indentOf(one) + (/^\s*- /.test(one) ? 2 : 0)]))];
  const others = indents.filter((indent) => indent !== own).sort((a, b) => Math.abs(a - own) - Math.abs(b - own));
  return others.map((indent) => ({
    hint: `the line is indented by ${own} space${own === 1 ? '' : 's'}, its neighbours by ${indent}`,
    mend: lineMend(`indent it by ${indent}`, false, [replaceAt({ line: number, column: 1 }, own, ' '.repeat(indent))]),
  }));
}

function closed(line: string, number: number): Cause[] {
  const end = { line: number, column: line.trimEnd().length + 1 };
  const signs = [']', '}', "'", '"', ']}', '}]'];
  return signs.map((sign) => ({
    hint: `${sign} is missing at the end of the line`,
    mend: lineMend(`add ${sign}`, false, [replaceAt(end, 0, sign)]),
  }));
}

/** The line after the corrections, up to which the text can be parsed. */
function problemLine(text: string): number {
  const parsed = parseYaml(text);
  return 'problems' in parsed ? (parsed.problems[0]?.line ?? 0) : Number.POSITIVE_INFINITY;
}

/** Removes the second of two fields with the same name, if it is one line. */
function withoutCopy(text: string, { line, hint = '' }: Problem): Cause | undefined {
  const [written = '', next = ''] = text.split('\n').slice(line - 1, line + 1);
  const found = /^(\s*)[\w.-]+:[ \t]+[^\s|>&{[].*$/.exec(written);
  if (found === null || (next.trim() !== '' && indentOf(next) > (found[1] ?? '').length)) return undefined;
  return { hint, mend: lineMend('remove the second one', false, [lineEdit(line)]) };
}

/** Texts longer than this are not mended, so that the time is bounded. */
const MAX_CHARACTERS = 200_000;

const MIN_TRIED = 3;

/** Characters that are parsed to try corrections: of a long text, only the most likely ones are tried. */
const MAX_PARSED = 100_000;

/**
 * Returns the cause of a problem of YAML with a correction after which the text can be parsed, or can be parsed further;
 * undefined if none of the usual mistakes is the cause. Corrections are tried for the first problem of a text only.
 */
export function causeOf(text: string, problem: Problem, isFirst: boolean): Cause | undefined {
  if (text.length > MAX_CHARACTERS) return undefined;
  if (/mapping key .* already defined/.test(problem.message)) return withoutCopy(text, problem);
  if (!isFirst || !/^yaml: line/.test(problem.message)) return undefined;
  const lines = text.split(/\r\n|\r|\n/);
  const numbers = [problem.line, problem.line - 1, problem.line - 2].filter((one) => one >= 1);
  const causes = [
    ...withoutTabs(lines),
    ...numbers.flatMap((one) => spaced(lines[one - 1] ?? '', one)),
    ...numbers.slice(0, 2).flatMap((one) => quoted(lines[one - 1] ?? '', one)),
    ...numbers.slice(0, 2).flatMap((one) => reindented(lines, one)),
    ...numbers.flatMap((one) => closed(lines[one - 1] ?? '', one)),
  ];
  let further: Cause | undefined;
  for (const cause of causes.slice(0, MIN_TRIED + MAX_PARSED / text.length)) {
    const reached = problemLine(applyMends(text, [cause.mend]).text);
    if (reached === Number.POSITIVE_INFINITY) return cause;
    if (reached > problem.line + 1) further ??= cause;
  }
  return further;
}
