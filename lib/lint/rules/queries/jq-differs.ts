import { type Ast, childrenOf, literalText } from '../../../language/jq/syntax/ast.ts';
import { JqSyntaxError } from '../../../language/jq/syntax/errors.ts';
import { omitUndefined } from '../../../language/omit-undefined.ts';
import { allScripts, type Rule, replaceInScript, type ScriptChange } from '../../reports/rule.ts';

/** A part of a program that has another result than in gojq: what it does here, and what to write instead. */
interface Difference {
  readonly message: string;
  readonly hint: string;
  /** The replacement that has the result of gojq, where there is one. */
  readonly change?: ScriptChange | undefined;
}

const isCall = (ast: Ast, ...names: readonly string[]): boolean => ast.kind === 'call' && names.includes(ast.name);

const argumentsOf = (ast: Ast): readonly Ast[] => (ast.kind === 'call' ? ast.args : []);

const isFraction = (ast: Ast | undefined): boolean =>
  ast?.kind === 'literal' && typeof ast.value === 'number' && !Number.isInteger(ast.value);

/** Kinds of values that are certainly no numbers. */
const isNoNumber = (ast: Ast): boolean =>
  ['string', 'array', 'object'].includes(ast.kind) || (ast.kind === 'literal' && typeof ast.value !== 'number');

function floored(ast: Ast): ScriptChange | undefined {
  const end = ast.kind === 'slice' ? ast.end : undefined;
  return end?.kind === 'literal'
    ? { from: end.from, to: end.to, text: String(Math.floor(Number(end.value))) }
    : undefined;
}

function hasTwins(ast: Ast): boolean {
  const [pattern] = argumentsOf(ast);
  const text = pattern && literalText(pattern);
  const names = [...(text ?? '').matchAll(/\(\?P?<(\w+)>/g)].map(([, name]) => name);
  return new Set(names).size < names.length;
}

const EXPRESSIONS = ['test', 'match', 'capture', 'scan', 'split', 'splits', 'sub', 'gsub'];

/** The differences that the text of a program shows; docs/jq.md has all. */
const DIFFERENCES: readonly (Omit<Difference, 'change'> & {
  readonly isIn: (ast: Ast) => boolean;
  readonly change?: (ast: Ast) => ScriptChange | undefined;
})[] = [
  {
    isIn: (ast) => isCall(ast, 'error') && argumentsOf(ast).some((one) => one.kind === 'literal' && one.value === null),
    message: 'error(null) fails here with null, while gojq ends without a result',
    hint: "write 'empty' for no result",
    change: ({ from, to }) => ({ from, to, text: 'empty' }),
  },
  {
    isIn: (ast) => isCall(ast, 'range') && argumentsOf(ast).some(isNoNumber),
    message: 'range fails for bounds that are no numbers, while gojq compares values of all types',
    hint: 'write a number',
  },
  {
    isIn: (ast) => ast.kind === 'slice' && isFraction(ast.end),
    message: 'the end of a slice is rounded up here, while gojq rounds it down',
    hint: 'write a whole number, or apply floor',
    change: floored,
  },
  {
    isIn: (ast) => isCall(ast, 'endswith') && argumentsOf(ast).some((one) => literalText(one) === ''),
    message: 'endswith("") is true here, while gojq 0.12.1 says false',
    hint: "write 'false' for the result of gojq",
    change: ({ from, to }) => ({ from, to, text: 'false' }),
  },
  {
    isIn: (ast) => isCall(ast, 'walk') && argumentsOf(ast).some((one) => one.kind === 'comma'),
    message: 'walk takes the first output of its argument, while gojq takes all',
    hint: 'put the outputs in a list',
  },
  {
    isIn: (ast) => isCall(ast, ...EXPRESSIONS) && hasTwins(ast),
    message: 'two groups of the regular expression have one name, which fails',
    hint: 'give each group a name of its own',
  },
];

function* differencesIn(ast: Ast): Generator<Difference & Pick<Ast, 'from' | 'to'>> {
  for (const { isIn, message, hint, change } of DIFFERENCES)
    if (isIn(ast)) yield { message, hint, change: change?.(ast), from: ast.from, to: ast.to };
  for (const child of childrenOf(ast)) yield* differencesIn(child);
}

export const jqDiffers: Rule = {
  severity: 'warning',
  about:
    'A jq program has another result than gojq, by which Direktiv evaluates it. [jq](jq.md) lists all differences; the rule finds those that the text of a program shows.',
  wrong: `states:
- id: page
  type: noop
  transform:
    page: jq(.items[:2.5])
`,
  right: `states:
- id: page
  type: noop
  transform:
    page: jq(.items[:2])
`,
  *check(workflow) {
    for (const { script } of allScripts(workflow)) {
      const { program } = script;
      if (program === undefined || program instanceof JqSyntaxError) continue;
      for (const { from, to, message, hint, change } of differencesIn(program)) {
        const mend = change && replaceInScript(workflow, script, change);
        yield { at: script.at(from), end: script.at(to), message: `jq: ${message}`, hint, ...omitUndefined({ mend }) };
      }
    }
  },
};
