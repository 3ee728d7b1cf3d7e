import { closestName } from '../../suggestions.ts';
import { type Ast, childrenOf, commaParts, variablesOf } from './ast.ts';
import { aritiesOf, builtinNames } from './builtins.ts';

/** A function or variable that a program uses and does not define. */
export interface UnknownName {
  readonly from: number;
  readonly to: number;
  readonly message: string;
  readonly hint?: string;
  /** The replacements after which the program is probably as it is meant. */
  readonly changes?: readonly Change[];
}

/** A replacement of a part of a program. */
interface Change {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * The names in scope: variables with `$`, functions with their number of arguments, labels with `*`. Each with the number
 * of its definitions around the part that is visited: a program may define thousands of names, one in the scope of another.
 */
class Scope {
  readonly #names = new Map<string, number>();

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** The names with a mark: `$` of variables, `/` of functions. */
  namesWith(mark: string): string[] {
    return [...this.#names.keys()].filter((name) => name.includes(mark));
  }

  /** Calls a function with further names in scope. */
  within(names: readonly string[], visitParts: () => void): void {
    for (const name of names) this.#names.set(name, (this.#names.get(name) ?? 0) + 1);
    visitParts();
    for (const name of names) {
      const left = (this.#names.get(name) ?? 1) - 1;
      if (left === 0) this.#names.delete(name);
      else this.#names.set(name, left);
    }
  }
}

const NONE = new Scope();

/** Unknown names found in one program at most, and those that are compared with all names that are known. */
const MAX_FOUND = 200;
const MAX_COMPARED = 20;

/** Functions of other versions and languages, with their replacements in jq. */
const FOREIGN: Readonly<Record<string, string>> = {
  len: 'length',
  size: 'length',
  count: 'length',
  lower: 'ascii_downcase',
  upper: 'ascii_upcase',
  tolower: 'ascii_downcase',
  toupper: 'ascii_upcase',
  downcase: 'ascii_downcase',
  upcase: 'ascii_upcase',
  str: 'tostring',
  to_string: 'tostring',
  int: 'tonumber',
  number: 'tonumber',
  to_number: 'tonumber',
  parse: 'fromjson',
  filter: 'select',
  where: 'select',
  includes: 'contains',
  replace: 'sub',
  sum: 'add',
  concat: 'add',
  random: 'now',
};

/** The unknown names of programs, so that one that is linted again after a change elsewhere is visited once. */
const NAMES = new WeakMap<Ast, readonly UnknownName[]>();

/** Returns the functions and variables that a program uses and does not define, in the order of the text. */
export function unknownNames(ast: Ast): readonly UnknownName[] {
  const known = NAMES.get(ast);
  if (known !== undefined) return known;
  const found: UnknownName[] = [];
  NAMES.set(ast, found);
  const scope = new Scope();
  scope.within(['$ENV', '$__loc__'], () => visit(ast, scope, found));
  return found;
}

function visit(ast: Ast, scope: Scope, found: UnknownName[], isCompared = false): void {
  if (found.length >= MAX_FOUND) return;
  const known = found.length < MAX_COMPARED ? scope : NONE;
  if (ast.kind === 'variable' && !scope.has(`$${ast.name}`)) found.push(unknownVariable(ast, ast.name, known));
  if (ast.kind === 'break' && !scope.has(`*${ast.name}`))
    found.push({ ...rangeOf(ast), message: `$*label-${ast.name} is not defined` });
  if (ast.kind === 'call' && !scope.has(`${ast.name}/${ast.args.length}`)) {
    const unknown = unknownFunction(ast, known, isCompared);
    if (unknown !== undefined) found.push(unknown);
  }
  const isComparison = ast.kind === 'binary' && /^[=!<>]=?/.test(ast.operator);
  for (const { names, parts } of scopesOf(ast))
    scope.within(names, () => {
      for (const part of parts) visit(part, scope, found, isComparison);
    });
}

const rangeOf = ({ from, to }: Ast) => ({ from, to });

/** Parts of a node, and the names that it defines for them. */
interface Scoped {
  readonly names: readonly string[];
  readonly parts: readonly Ast[];
}

function scopesOf(ast: Ast): readonly Scoped[] {
  const parts = childrenOf(ast);
  if (ast.kind === 'bind' || ast.kind === 'reduce' || ast.kind === 'foreach') {
    const bound = ast.patterns.flatMap(variablesOf).map((name) => `$${name}`);
    return [
      { names: [], parts: [ast.source] },
      { names: bound, parts: parts.slice(1) },
    ];
  }
  if (ast.kind === 'label') return [{ names: [`*${ast.name}`], parts }];
  if (ast.kind !== 'def') return [{ names: [], parts }];
  const own = `${ast.name}/${ast.parameters.length}`;
  const parameters = ast.parameters.flatMap((name) =>
    name.startsWith('$') ? [name, `${name.slice(1)}/0`] : `${name}/0`,
  );
  return [
    { names: [own, ...parameters], parts: [ast.definition] },
    { names: [own], parts: [ast.body] },
  ];
}

function unknownVariable(ast: Ast, name: string, scope: Scope): UnknownName {
  const names = scope.namesWith('$').map((one) => one.slice(1));
  const own = names.filter((one) => !['ENV', '__loc__'].includes(one));
  const near = closestName(name, names) ?? (own.length === 1 ? own[0] : undefined);
  const hint = near === undefined ? `bind it first: '… as $${name} | …'` : `did you mean '${near}'?`;
  const change = near === undefined ? [] : [{ ...rangeOf(ast), text: `$${near}` }];
  return { ...rangeOf(ast), message: `variable $${name} is not defined`, hint, changes: change };
}

/** Semicolons in place of the commas between the arguments of a function; undefined if their number does not fit. */
function separated(args: readonly Ast[], arities: readonly number[]): readonly Change[] | undefined {
  const parts = args.flatMap(commaParts);
  if (!arities.includes(parts.length)) return undefined;
  return parts.slice(1).flatMap((part, index) => {
    const before = parts[index];
    return before === undefined ? [] : [{ from: before.to, to: part.from, text: '; ' }];
  });
}

function wrongArguments(ast: Extract<Ast, { kind: 'call' }>, arities: readonly number[]): UnknownName {
  const { name, args, from } = ast;
  const message = `function ${name} takes ${arities.join(' or ')} arguments, not ${args.length}`;
  const hasCommas = args.length < Math.min(...arities) && args.some(({ kind }) => kind === 'comma');
  const changes = hasCommas ? separated(args, arities) : undefined;
  return {
    from,
    to: from + name.length,
    message,
    ...(hasCommas && { hint: "separate arguments by ';'" }),
    ...(changes && { changes }),
  };
}

function unknownFunction(
  ast: Extract<Ast, { kind: 'call' }>,
  scope: Scope,
  isCompared: boolean,
): UnknownName | undefined {
  const { name, args, from } = ast;
  const arities = aritiesOf(name);
  if (arities?.includes(args.length)) return undefined;
  // Names of one underscore are jq's own.
  if (name.startsWith('_')) return undefined;
  if (arities !== undefined) return wrongArguments(ast, arities);
  const range = { from, to: from + name.length };
  const own = scope.namesWith('/').map((one) => one.split('/')[0] ?? '');
  const instead = Object.hasOwn(FOREIGN, name.toLowerCase()) ? FOREIGN[name.toLowerCase()] : undefined;
  const near = instead ?? (scope === NONE ? undefined : closestName(name, [...own, ...builtinNames()]));
  const hint = near === undefined ? hintFor(name) : `did you mean '${near}'?`;
  const text = near ?? (args.length > 0 ? undefined : isCompared ? `"${name}"` : `.${name}`);
  const message = `function ${name} is not defined`;
  return { ...range, message, hint, ...(text !== undefined && { changes: [{ ...range, text }] }) };
}

const hintFor = (name: string): string => `for the member of the data write .${name}, for a text "${name}"`;
