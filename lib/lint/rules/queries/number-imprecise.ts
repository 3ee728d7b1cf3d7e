import { type Ast, childrenOf } from '../../../language/jq/syntax/ast.ts';
import { JqSyntaxError } from '../../../language/jq/syntax/errors.ts';
import { hasExactNumbers } from '../../../language/json-numbers.ts';
import { allScripts, type Rule } from '../../reports/rule.ts';

const ARITHMETIC: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%', '+=', '-=', '*=', '/=', '%=']);

/** The operands of the arithmetic of a program that are written in it. */
function* operandsOf(ast: Ast): Generator<Ast> {
  const isArithmetic = (ast.kind === 'binary' || ast.kind === 'update') && ARITHMETIC.has(ast.operator);
  for (const child of childrenOf(ast)) {
    const operand = child.kind === 'negate' ? child.base : child;
    if (isArithmetic && operand.kind === 'literal') yield operand;
    yield* operandsOf(child);
  }
}

export const numberImprecise: Rule = {
  severity: 'warning',
  about:
    'The arithmetic of jq has doubles: it tells integers up to 2^53 apart, and has about 16 digits. A longer number is rounded before it is computed with. Numbers that are only passed on or compared keep their digits.',
  wrong: `states:
- id: next
  type: noop
  transform:
    next: jq(.last + 9007199254740993)
`,
  right: `states:
- id: next
  type: noop
  transform:
    next: js(return BigInt(data.last) + 9007199254740993n)
`,
  *check(workflow) {
    for (const { script } of allScripts(workflow)) {
      const { program } = script;
      if (program === undefined || program instanceof JqSyntaxError) continue;
      for (const { from, to } of operandsOf(program)) {
        const text = script.source.slice(from, to);
        if (!hasExactNumbers(text)) continue;
        const message = `jq: arithmetic rounds ${text} to ${Number(text)}`;
        const hint = 'compute with BigInts in JavaScript, as in js(return BigInt(data.last) + 9007199254740993n)';
        yield { at: script.at(from), end: script.at(to), message, hint };
      }
    }
  },
};
