import { type Ast, childrenOf } from './ast.ts';
import { JqSyntaxError } from './errors.ts';
import { type Grammar, ranged } from './grammar.ts';
import { parseBinding, parseDefinition, parseLabel } from './keywords.ts';
import { bindingPower, isUpdate, type Operator, SUM_LEVEL } from './operators.ts';
import { parsePostfix } from './terms.ts';
import { TokenStream } from './token-stream.ts';

/** The levels of a syntax tree, and the units of `deeper` inside each other: the call stack has room for twice as many. */
const MAX_DEPTH = 1000;

/** The units of a term, such as an object or a loop: its parts are parsed with as many frames of the call stack. */
const TERM = 4;

/** The message of the error of a program that is nested too deeply. */
export const TOO_DEEP = 'the program is nested too deeply';

/**
 * Parses a jq program to its syntax tree. It accepts every program that jq accepts, and a few more: it has no rules about
 * the types of constants. Throws JqSyntaxError.
 */
export function parseJq(program: string): Ast {
  if (/^[ \t\r\n]*$/.test(program)) return { kind: 'identity', from: 0, to: program.length };
  const grammar = createGrammar(new TokenStream(program));
  const ast = grammar.pipe();
  if (!grammar.tokens.isAt('end')) throw grammar.tokens.unexpected();
  rejectDeep(ast);
  return ast;
}

/** Throws JqSyntaxError for a tree of too many levels: `.a + .a + …` is one level deeper with each operator. */
function rejectDeep(ast: Ast): void {
  let level: readonly Ast[] = [ast];
  for (let depth = 0; level.length > 0; depth += 1) {
    const [first] = level;
    if (first !== undefined && depth > MAX_DEPTH) throw tooDeep(first.from);
    level = level.flatMap(childrenOf);
  }
}

const tooDeep = (offset: number) => new JqSyntaxError(TOO_DEEP, offset);

function createGrammar(tokens: TokenStream): Grammar {
  let depth = 0;
  const deeper = <T>(parse: () => T, units = 1): T => {
    depth += units;
    if (depth > MAX_DEPTH) throw tooDeep(tokens.next.from);
    const parsed = parse();
    depth -= units;
    return parsed;
  };
  const grammar: Grammar = {
    tokens,
    deeper,
    pipe: () => deeper(() => parsePipe(grammar)),
    operation: () => parseBinary(grammar, 0, true),
    memberValue: () => parseBinary(grammar, 0, false),
    postfix: () => deeper(() => parsePostfix(grammar), TERM),
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
    const right = grammar.deeper(() => parseBinary(grammar, power.isRight ? power.level : power.level + 1, mayBind));
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
