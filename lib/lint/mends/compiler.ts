import { ownMember } from '../../language/own-members.ts';
import type { Problem } from '../../language/problem.ts';
import { durationFrom } from '../document/spans.ts';
import type { Workflow } from '../document/workflow.ts';
import type { Mend } from '../reports/finding.ts';
import { rangeOf } from '../reports/rule.ts';
import { addMissing } from './fields.ts';
import { renameDuplicate, renameId } from './ids.ts';
import { type MakeMend, wordAt } from './words.ts';

const replaceWord =
  (
    to: (word: string, problem: Problem) => string | undefined,
    isCertain: (word: string, to: string) => boolean,
  ): MakeMend =>
  (workflow, problem) => {
    const word = wordAt(workflow, problem);
    const text = to(word, problem);
    const range = rangeOf(workflow, problem, word);
    if (text === undefined || range === undefined || text === word) return undefined;
    return { title: `replace '${word}' by '${text}'`, edits: [{ ...range, text }], isCertain: isCertain(word, text) };
  };

const suggestion = (_: string, { hint = '' }: Problem): string | undefined => /^did you mean '(.+)'\?$/.exec(hint)?.[1];

const plain = (name: string): string => name.toLowerCase().replace(/[-_\s]/g, '');

const FLAGS: Readonly<Record<string, string>> = {
  yes: 'true',
  on: 'true',
  true: 'true',
  no: 'false',
  off: 'false',
  false: 'false',
};

/** Replaces the value with its quotes, where the value without quotes has another type. */
const replaceFlag: MakeMend = (workflow, problem) => {
  const word = wordAt(workflow, problem);
  const text = ownMember(FLAGS, word.toLowerCase());
  const range = rangeOf(workflow, problem, word);
  if (text === undefined || range === undefined) return undefined;
  const isQuoted = range.from.column > problem.column;
  const end = { line: range.to.line, column: range.to.column + (isQuoted ? 1 : 0) };
  return {
    title: `write ${text}`,
    edits: [{ from: { line: problem.line, column: problem.column }, to: end, text }],
    isCertain: true,
  };
};

const surround =
  (open: string, close: string, title: string, isCertain = true): MakeMend =>
  (workflow, problem) => {
    const word = wordAt(workflow, problem);
    const range = rangeOf(workflow, problem, word);
    if (range === undefined || range.from.column !== problem.column) return undefined;
    return { title, edits: [{ ...range, text: open + word + close }], isCertain };
  };

/** Names of types and scopes in other tools, with those of the language. */
const FOREIGN_WORDS: Readonly<Record<string, string>> = {
  wait: 'delay',
  sleep: 'delay',
  timer: 'delay',
  pass: 'noop',
  inject: 'noop',
  task: 'action',
  call: 'action',
  operation: 'action',
  choice: 'switch',
  if: 'switch',
  fail: 'error',
  throw: 'error',
  raise: 'error',
  map: 'foreach',
  loop: 'foreach',
  set: 'setter',
  get: 'getter',
  event: 'consumeEvent',
  emit: 'generateEvent',
  schedule: 'scheduled',
  cron: 'scheduled',
  global: 'namespace',
  ns: 'namespace',
  flow: 'workflow',
  local: 'instance',
  run: 'instance',
};

/** The intended word among those that the hint lists: a synonym of another tool, or a word with the same beginning. */
function listedWord(word: string, { hint = '' }: Problem): string | undefined {
  const known = /^known \w+: (.+)$/.exec(hint)?.[1]?.split(', ') ?? [];
  const own = plain(word);
  const foreign = Object.hasOwn(FOREIGN_WORDS, own) ? FOREIGN_WORDS[own] : undefined;
  if (foreign !== undefined && known.includes(foreign)) return foreign;
  return own.length < 4 ? undefined : known.find((one) => own.startsWith(plain(one)) || plain(one).startsWith(own));
}

/** Removes a field with its value, if both stand in one line that has nothing else. */
const removeLine: MakeMend = ({ source }, { line, hint = '' }) => {
  const written = source.lineAt(line);
  if (!/remove the field|a workflow has no such field/.test(hint) || !/^\s*[\w.-]+:\s*\S+\s*$/.test(written))
    return undefined;
  return {
    title: 'remove the field',
    edits: [{ from: { line, column: 1 }, to: { line: line + 1, column: 1 }, text: '' }],
    isCertain: true,
  };
};

const MENDS: readonly { readonly message: RegExp; readonly make: MakeMend }[] = [
  { message: /is not a ISO8601 string$/, make: replaceWord(durationFrom, () => true) },
  { message: /must be true or false, not/, make: replaceFlag },
  { message: /must be text, not the/, make: surround("'", "'", 'put the value in quotes') },
  {
    message: /field "catch" must be a list, not text/,
    make: surround("[{error: '*', transition: ", '}]', 'catch every error', false),
  },
  { message: /must be a list, not text/, make: surround('[', ']', 'make it a list') },
  { message: /id must match/, make: renameId },
  { message: /unknown field/, make: removeLine },
  { message: /is used in more than one/, make: renameDuplicate },
  { message: / required$/, make: addMissing },
  { message: /type unrecognized|bad scope/, make: replaceWord(listedWord, () => false) },
  { message: /./, make: replaceWord(suggestion, (word, to) => plain(word) === plain(to)) },
];

/** Returns the correction of a problem of the compiler; undefined if it is not known. */
export function mendOfProblem(workflow: Workflow, problem: Problem): Mend | undefined {
  for (const { message, make } of MENDS) {
    const mend = message.test(problem.message) ? make(workflow, problem) : undefined;
    if (mend !== undefined) return mend;
  }
  return undefined;
}

/** The hint about a duration in another notation; undefined for other problems. */
export function durationHint(workflow: Workflow, problem: Problem): string | undefined {
  if (!/is not a ISO8601 string$/.test(problem.message)) return undefined;
  const to = durationFrom(wordAt(workflow, problem));
  return to === undefined ? undefined : `did you mean '${to}'?`;
}
