import { type Ast, type AstOf, childrenOf } from '../syntax/ast.ts';
import { JqSyntaxError } from '../syntax/errors.ts';
import { parseJq } from '../syntax/parser.ts';

/** A program of gojq as a program of jq, and the names of the definitions that it needs before it. */
export interface Translation {
  readonly names: ReadonlySet<string>;
  readonly program: string;
}

/** The state of a translation: the names of the definitions that it needs. */
interface Writer {
  readonly source: string;
  readonly names: Set<string>;
}

/** Calls that may have no output, and those that may be not-a-number. */
const MAY_BE_EMPTY =
  /^(?:empty|select|limit|first|last|until|scan|match|capture|splits|values|nulls|strings|numbers|booleans|arrays|objects|iterables|scalars|finites|normals|recurse|range|error)$/;
const MAY_BE_NAN =
  /^(?:nan|infinite|tonumber|fromjson|sqrt|pow|log\w*|a(?:cos|sin|tanh|cosh)|gamma|lgamma\w*|fmod|ldexp)$/;

const some = (ast: Ast, test: (node: Ast) => boolean): boolean =>
  test(ast) || childrenOf(ast).some((child) => some(child, test));

const mayBeEmpty = (ast: Ast): boolean =>
  some(ast, ({ kind, ...node }) =>
    kind === 'call' ? MAY_BE_EMPTY.test((node as AstOf<'call'>).name) : ['iterate', 'optional', 'try'].includes(kind),
  );

/** Writes a range of the source with the nodes in it translated. */
function writeRange(writer: Writer, from: number, to: number, nodes: readonly Ast[]): string {
  let [text, at] = ['', from];
  for (const node of [...nodes].sort((left, right) => left.from - right.from)) {
    // The value of a member `{a}` is written by its key alone.
    if (node.from < at || node.to > to) continue;
    text += writer.source.slice(at, node.from) + write(writer, node);
    at = node.to;
  }
  return text + writer.source.slice(at, to);
}

/** Writes the base of an access, without the bracket behind it and the dot before that. Undefined where comments stand. */
function writeBase(writer: Writer, node: AstOf<'access' | 'iterate'>): { base: string; open: number } | undefined {
  const behind = writer.source.slice(node.base.to, node.to);
  const open = node.base.to + behind.indexOf('[');
  if (behind.includes('#')) return undefined;
  const text = writeRange(writer, node.from, open, [node.base]);
  return { base: text.replace(/(?<=[^.\s]\s*)\.\s*$/, ''), open };
}

function call(writer: Writer, name: string, ...args: readonly string[]): string {
  writer.names.add(name);
  return `${name}(${args.join('; ')})`;
}

/** Writes `base[key]` and `base[]` as calls. A field of an object is the same in both languages. */
function writeAccess(writer: Writer, node: Ast, isOptional: boolean): string | undefined {
  if (node.kind === 'iterate') {
    const found = writeBase(writer, node);
    return found && call(writer, isOptional ? '_each_opt' : '_each', found.base);
  }
  if (node.kind !== 'access' || node.key.kind === 'string' || node.key.to === node.to) return undefined;
  const found = writeBase(writer, node);
  if (found === undefined) return undefined;
  const key = writeRange(writer, found.open + 1, node.to - 1, [node.key]);
  return call(writer, isOptional ? '_at_opt' : '_at', found.base, key);
}

/** In gojq a fold keeps its state where the update has no output. */
function writeReduce(writer: Writer, node: AstOf<'reduce'>): string {
  const [start, update] = node.parts;
  const patterns = childrenOf(node).slice(1, -node.parts.length);
  if (start === undefined || update === undefined || !mayBeEmpty(update))
    return writeRange(writer, node.from, node.to, childrenOf(node));
  const split = writer.source.indexOf(';', start.to) + 1;
  if (/[#"]/.test(writer.source.slice(start.to, split))) return writer.source.slice(node.from, node.to);
  const head = writeRange(writer, node.from, split, [node.source, ...patterns, start]);
  return `${head}${call(writer, '_keep', writeRange(writer, split, node.to - 1, [update]))})`;
}

function addNames(writer: Writer, node: Ast): void {
  const { names } = writer;
  if (node.kind === 'call') names.add(`${node.name}/${node.args.length}`);
  else if (node.kind === 'recurse') names.add('recurse/0');
  else if (node.kind === 'format') names.add('format/1');
  else if (node.kind === 'string' && node.parts.some((part) => typeof part !== 'string')) names.add('format/1');
  else if (node.kind === 'binary') names.add(node.operator);
  else if (node.kind === 'update') names.add(node.operator.slice(0, -1));
}

const isConstant = ({ kind }: Ast): boolean => kind === 'literal' || kind === 'string';

/** jq computes with constants before it knows of definitions; a call hides one of them. */
function writeHidden(writer: Writer, { from, to, left, right }: AstOf<'binary'>): string {
  const { source } = writer;
  const hidden = call(writer, '_constant', write(writer, right));
  return writeRange(writer, from, right.from, [left]) + hidden + source.slice(right.to, to);
}

function write(writer: Writer, node: Ast): string {
  addNames(writer, node);
  if (node.kind === 'binary' && '*/'.includes(node.operator) && isConstant(node.left) && isConstant(node.right))
    return writeHidden(writer, node);
  const inner = node.kind === 'optional' ? writeAccess(writer, node.base, true) : writeAccess(writer, node, false);
  if (inner !== undefined) return inner;
  if (node.kind === 'reduce') return writeReduce(writer, node as AstOf<'reduce'>);
  return writeRange(writer, node.from, node.to, childrenOf(node));
}

const COMPARISONS = ['<', '<=', '>', '>='];

/**
 * Translates a program for jq, so that it has the results that gojq has. A program with a mistake in its syntax stays as it
 * is, and so does one that needs no change.
 */
export function translate(source: string): Translation {
  try {
    const ast = parseJq(source);
    const writer: Writer = { source, names: new Set() };
    const program = writeRange(writer, 0, source.length, [ast]);
    const mayBeNan = some(ast, (node) => node.kind === 'call' && MAY_BE_NAN.test(node.name));
    if (!mayBeNan) for (const name of COMPARISONS) writer.names.delete(name);
    return { names: writer.names, program };
  } catch (error) {
    if (error instanceof JqSyntaxError) return { names: new Set(), program: source };
    throw error;
  }
}
