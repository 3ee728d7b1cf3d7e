import type { Position } from '../../language/position.ts';
import type { Problem } from '../../language/problem.ts';
import { select } from '../document/queries.ts';
import { durationFrom } from '../document/spans.ts';
import type { Workflow } from '../document/workflow.ts';
import type { Edit, Mend } from '../reports/finding.ts';
import { rangeOf } from '../reports/rule.ts';

/** The word at a position, without quotes around it. */
function wordAt({ source }: Workflow, { line, column }: Problem): string {
  const rest = source.text.slice(source.offsetOf({ line, column }));
  return (
    /^(?:"([^"\n]*)"|'([^'\n]*)'|([^\s:,[\]{}#][^\n:,[\]{}#]*))/
      .exec(rest)
      ?.slice(1)
      .find((one) => one !== undefined)
      ?.trimEnd() ?? ''
  );
}

type MakeMend = (workflow: Workflow, problem: Problem) => Mend | undefined;

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
  const text = FLAGS[word.toLowerCase()];
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
  (open: string, close: string, title: string): MakeMend =>
  (workflow, problem) => {
    const word = wordAt(workflow, problem);
    const range = rangeOf(workflow, problem, word);
    if (range === undefined || range.from.column !== problem.column) return undefined;
    return { title, edits: [{ ...range, text: open + word + close }], isCertain: true };
  };

/** The id in the form that the language requires: lower-case letters, digits and dashes. */
function toId(word: string): string {
  const dashed = word.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
  return dashed.replace(/[^a-z0-9_.-]+/g, '-').replace(/^[^a-z]+|[^a-z0-9]+$/g, '');
}

/** A place where a state or function is named. */
interface Use {
  readonly name: string;
  readonly at: Position;
}

const transitionsIn = ({ states, root }: Workflow): Use[] => [
  ...states.flatMap(({ targets }) => targets.map((one) => ({ name: one.name, at: one }))),
  ...select(root, 'start.state').map(({ node }) => ({ name: String(node.value), at: node })),
];

const callsIn = ({ states }: Workflow): Use[] =>
  states.flatMap(({ node }) =>
    ['action.function', 'actions.*.function']
      .flatMap((path) => select(node, path))
      .map((one) => ({ name: String(one.node.value), at: one.node })),
  );

/** Renames a state or function with the transitions and actions that name it. */
const renameId: MakeMend = (workflow, problem) => {
  const id = wordAt(workflow, problem);
  const to = toId(id);
  const range = rangeOf(workflow, problem, id);
  const isState = /^state\[/.test(problem.message);
  const ids = (isState ? workflow.states : workflow.functions).map((one) => one.id);
  if (to === '' || ids.includes(to) || range === undefined) return undefined;
  const uses = isState ? transitionsIn(workflow) : callsIn(workflow);
  const edits = uses.flatMap(({ name, at }): Edit[] => {
    const used = name === id ? rangeOf(workflow, at, id) : undefined;
    return used === undefined ? [] : [{ ...used, text: to }];
  });
  return { title: `rename '${id}' to '${to}'`, edits: [{ ...range, text: to }, ...edits], isCertain: true };
};

/** Removes a field with its value, if both stand in one line that has nothing else. */
const removeLine: MakeMend = ({ source }, { line, hint = '' }) => {
  const written = source.text.split('\n')[line - 1] ?? '';
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
  { message: /must be a list, not text/, make: surround('[', ']', 'make it a list') },
  { message: /id must match/, make: renameId },
  { message: /unknown field/, make: removeLine },
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
