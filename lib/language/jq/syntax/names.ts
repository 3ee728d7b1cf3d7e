import { closestName, didYouMean } from '../../suggestions.ts';
import { type Ast, childrenOf, variablesOf } from './ast.ts';
import { aritiesOf, builtinNames } from './builtins.ts';

/** A function or variable that a program uses and does not define. */
export interface UnknownName {
  readonly from: number;
  readonly to: number;
  readonly message: string;
  readonly hint?: string;
  /** The name that is probably meant. */
  readonly replacement?: string;
}

/** The names in scope: variables with `$`, functions with their number of arguments, labels with `*`. */
type Scope = ReadonlySet<string>;

/** Functions of other versions and languages, with what jq has instead. */
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

/** Returns the functions and variables that a program uses and does not define, in the order of the text. */
export function unknownNames(ast: Ast): readonly UnknownName[] {
  const found: UnknownName[] = [];
  visit(ast, new Set(['$ENV', '$__loc__']), found);
  return found;
}

function visit(ast: Ast, scope: Scope, found: UnknownName[]): void {
  if (ast.kind === 'variable' && !scope.has(`$${ast.name}`)) found.push(unknownVariable(ast, ast.name, scope));
  if (ast.kind === 'break' && !scope.has(`*${ast.name}`))
    found.push({ ...rangeOf(ast), message: `$*label-${ast.name} is not defined` });
  if (ast.kind === 'call' && !scope.has(`${ast.name}/${ast.args.length}`)) {
    const unknown = unknownFunction(ast, scope);
    if (unknown !== undefined) found.push(unknown);
  }
  for (const [child, inner] of scopesOf(ast, scope)) visit(child, inner, found);
}

const rangeOf = ({ from, to }: Ast) => ({ from, to });

function scopesOf(ast: Ast, scope: Scope): (readonly [Ast, Scope])[] {
  const children = childrenOf(ast);
  if (ast.kind === 'bind' || ast.kind === 'reduce' || ast.kind === 'foreach') {
    const bound = new Set([...scope, ...ast.patterns.flatMap(variablesOf).map((name) => `$${name}`)]);
    return children.map((child) => [child, child === ast.source ? scope : bound]);
  }
  if (ast.kind === 'label') return children.map((child) => [child, new Set([...scope, `*${ast.name}`])]);
  if (ast.kind === 'def') {
    const own = new Set([...scope, `${ast.name}/${ast.parameters.length}`]);
    const parameters = ast.parameters.flatMap((name) =>
      name.startsWith('$') ? [name, `${name.slice(1)}/0`] : `${name}/0`,
    );
    return [
      [ast.definition, new Set([...own, ...parameters])],
      [ast.body, own],
    ];
  }
  return children.map((child) => [child, scope]);
}

function unknownVariable(ast: Ast, name: string, scope: Scope): UnknownName {
  const known = [...scope].filter((one) => one.startsWith('$')).map((one) => one.slice(1));
  const hint = didYouMean(name, known) ?? `bind it first: '… as $${name} | …'`;
  return { ...rangeOf(ast), message: `variable $${name} is not defined`, hint };
}

function unknownFunction(ast: Extract<Ast, { kind: 'call' }>, scope: Scope): UnknownName | undefined {
  const { name, args, from } = ast;
  const arities = aritiesOf(name);
  if (arities?.includes(args.length)) return undefined;
  // Names of one underscore are jq's own.
  if (name.startsWith('_')) return undefined;
  const range = { from, to: from + name.length };
  if (arities !== undefined) {
    const separator = args.length < Math.min(...arities) && args.some(({ kind }) => kind === 'comma');
    const message = `function ${name} takes ${arities.join(' or ')} arguments, not ${args.length}`;
    return { ...range, message, ...(separator && { hint: "separate arguments by ';'" }) };
  }
  const own = [...scope].filter((one) => one.includes('/')).map((one) => one.split('/')[0] ?? '');
  const instead = Object.hasOwn(FOREIGN, name.toLowerCase()) ? FOREIGN[name.toLowerCase()] : undefined;
  const replacement = instead ?? closestName(name, [...own, ...builtinNames()]);
  return {
    ...range,
    message: `function ${name} is not defined`,
    ...(replacement === undefined ? { hint: hintFor(name) } : { hint: `did you mean '${replacement}'?`, replacement }),
  };
}

const hintFor = (name: string): string => `for the member of the data write .${name}, for a text "${name}"`;
