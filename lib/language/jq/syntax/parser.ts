import type { Ast } from './ast.ts';
import { JqSyntaxError } from './errors.ts';
import { type Grammar, ranged } from './grammar.ts';
import { parseBinding, parseDefinition, parseLabel } from './keywords.ts';
import { bindingPower, isUpdate, type Operator, SUM_LEVEL } from './operators.ts';
import { parsePostfix } from './terms.ts';
import { TokenStream } from './token-stream.ts';

/** The calls of `deeper` inside each other, of which a bracket takes two: the call stack is enough for twice as many. */
const MAX_DEPTH = 1000;

/**
 * Parses a jq program to its syntax tree. It accepts every program that jq accepts, and a few more: it has no rules about
 * the types of constants. Throws JqSyntaxError.
 */
export function parseJq(program: string): Ast {
  if (/^[ \t\r\n]*$/.test(program)) return { kind: 'identity', from: 0, to: program.length };
  const grammar = createGrammar(new TokenStream(program));
  const ast = grammar.pipe();
  if (!grammar.tokens.isAt('end')) throw grammar.tokens.unexpected();
  return ast;
}

function createGrammar(tokens: TokenStream): Grammar {
  let depth = 0;
  const deeper = (parse: () => Ast): Ast => {
    depth += 1;
    if (depth > MAX_DEPTH) throw new JqSyntaxError('the program is nested too deeply', tokens.next.from);
    const ast = parse();
    depth -= 1;
    return ast;
  };
  const grammar: Grammar = {
    tokens,
    deeper,
    pipe: () => deeper(() => parsePipe(grammar)),
    operation: () => parseBinary(grammar, 0, true),
    memberValue: () => parseBinary(grammar, 0, false),
    postfix: () => deeper(() => parsePostfix(grammar)),
  };
  return grammar;
}

function parsePipe(grammar: Grammar): Ast {
  const { tokens } = grammar;
  const { from } = tokens.next;
  if (tokens.accept('name', 'def')) return parseDefinition(grammar, from);
  if (tokens.accept('name', 'label')) return parseLabel(grammar, from);
  let left = grammar.operation();
  while (tokens.accept('operator', ','))
    left = ranged(grammar, from, { kind: 'comma', left, right: grammar.operation() });
  return tokens.accept('operator', '|') ? ranged(grammar, from, { kind: 'pipe', left, right: grammar.pipe() }) : left;
}

/** Parses the operators that bind at least this closely. An operand may bind a variable, except in a member's value. */
function parseBinary(grammar: Grammar, least: number, mayBind: boolean): Ast {
  const { tokens } = grammar;
  const { from } = tokens.next;
  let left = parseOperand(grammar, mayBind);
  for (let alone = -1; ; ) {
    const operator = nextOperator(grammar);
    const power = bindingPower(operator ?? '');
    if (operator === undefined || power === undefined || power.level < least) return left;
    if (power.level === alone) throw tokens.unexpected('put one of the two in brackets');
    tokens.take();
    const right = parseBinary(grammar, power.isRight ? power.level : power.level + 1, mayBind);
    left = isUpdate(operator)
      ? ranged(grammar, from, { kind: 'update', operator, left, right })
      : ranged(grammar, from, { kind: 'binary', operator, left, right });
    alone = power.isAlone ? power.level : -1;
  }
}

function nextOperator({ tokens }: Grammar): Operator | undefined {
  const { kind, text } = tokens.next;
  const isOperator = kind === 'operator' || (kind === 'name' && (text === 'and' || text === 'or'));
  return isOperator && bindingPower(text) !== undefined ? (text as Operator) : undefined;
}

/** Parses an operand; a sign applies to everything that binds more closely than a sum. */
function parseOperand(grammar: Grammar, mayBind: boolean): Ast {
  const { tokens } = grammar;
  const { from } = tokens.next;
  if (tokens.accept('operator', '-')) {
    const base = grammar.deeper(() => parseBinary(grammar, SUM_LEVEL + 1, mayBind));
    return ranged(grammar, from, { kind: 'negate', base });
  }
  const term = grammar.postfix();
  return mayBind && tokens.accept('name', 'as') ? parseBinding(grammar, from, term) : term;
}
