import type { Ast } from '../../language/jq/syntax/ast.ts';
import { JqSyntaxError } from '../../language/jq/syntax/errors.ts';
import { isNumber } from '../../language/json-numbers.ts';
import { scalarText } from '../../language/yaml/node.ts';
import type { Node } from '../../language/yaml/parser.ts';
import type { QueryView } from '../document/queries.ts';
import type { Script } from '../document/scripts.ts';
import { type Access, evaluate } from './evaluation.ts';
import {
  ANY,
  ANY_OBJECT,
  arrayOf,
  BOOLEAN,
  isSame,
  memberOf,
  NULL,
  NUMBER,
  type ObjectShape,
  type Shape,
  STRING,
  unionOf,
} from './shape.ts';

/** Receives each access of a script to a member. */
export type OnAccess = (script: Script, access: Access) => void;

/** Returns the shape of the result of a query for data of a shape. A query that is absent or null is the data. */
export function shapeOfQuery(query: QueryView | undefined, data: Shape, onAccess: OnAccess): Shape {
  if (query === undefined || query.node.value === null) return data;
  // An alias of YAML repeats a text at the place of its anchor.
  const scripts = new Map(query.texts.map((text) => [text.node as Node, text.scripts]));
  return shapeOfNode(query.node, (node) => shapeOfText(scripts.get(node) ?? [], data, onAccess));
}

function shapeOfNode(node: Node, shapeOfScripts: (node: Node) => Shape): Shape {
  if (node.kind === 'list') return arrayOf(unionOf(node.items.map((item) => shapeOfNode(item, shapeOfScripts))));
  if (node.kind === 'map') {
    const members = [...node.entries.values()].map(
      (entry) => [entry.key, { shape: shapeOfNode(entry.node, shapeOfScripts), isOptional: false }] as const,
    );
    const shape: ObjectShape = { kind: 'object', members: new Map(members), isOpen: false };
    return shape;
  }
  if (typeof node.value === 'string') return shapeOfScripts(node);
  if (node.value === null) return NULL;
  return isNumber(node.value) ? NUMBER : BOOLEAN;
}

function shapeOfText(scripts: readonly Script[], data: Shape, onAccess: OnAccess): Shape {
  const shapes = scripts.map((script) => shapeOfScript(script, data, onAccess));
  return scripts.length === 1 && scripts[0]?.isWhole ? (shapes[0] ?? ANY) : STRING;
}

const JS_PATH = /(?<![\w$.])data((?:\.[A-Za-z_$][\w$]*)+)(?!\s*(?:=[^=]|\())/g;

/** Reports the members that a JavaScript query reads from `data`, if it does not change or hide it. */
function visitJs(script: Script, data: Shape, onAccess: OnAccess): void {
  const { source } = script;
  if (
    /\bdata\s*(?:=[^=]|\[)|(?<![\w$.])data\.[\w$.]+\s*(?:[-+*/]?=[^=]|\+\+|--)|\b(?:let|var|const|function)\s+data\b/.test(
      source,
    )
  )
    return;
  for (const found of source.matchAll(JS_PATH)) {
    let shape = data;
    let from = found.index + 'data'.length;
    for (const key of (found[1] ?? '').slice(1).split('.')) {
      onAccess(script, { key, from: from + 1, to: from + 1 + key.length, shape, isGuarded: true });
      from += key.length + 1;
      shape = memberOf(shape, key);
      // Lists and texts have members of their own.
      if (shape.kind !== 'object') break;
    }
  }
}

function shapeOfScript(script: Script, data: Shape, onAccess: OnAccess): Shape {
  const { program } = script;
  if (script.kind === 'js') visitJs(script, data, onAccess);
  if (program === undefined || program instanceof JqSyntaxError) return ANY;
  const { result, accesses } = evaluated(program, data);
  for (const access of accesses) onAccess(script, access);
  return result;
}

/** The evaluation of a program for data of a shape. */
interface Evaluation {
  readonly data: Shape;
  readonly result: Shape;
  readonly accesses: readonly Access[];
}

/** The last evaluations of programs: after a change in an editor, most programs have the same data as before. */
const EVALUATIONS = new WeakMap<Ast, Evaluation[]>();

/** Evaluations of the parts of one program, beside two for each of its characters. */
const MIN_STEPS = 100;

/** Evaluations cached of one program, which may be in several states. */
const MAX_EVALUATIONS = 8;

function evaluated(program: Ast, data: Shape): Evaluation {
  const known = EVALUATIONS.get(program) ?? [];
  const before = known.find((one) => isSame(one.data, data));
  if (before !== undefined) return before;
  const accesses: Access[] = [];
  const budget = { steps: MIN_STEPS + 2 * (program.to - program.from) };
  const scope = { variables: new Map(), functions: new Set<string>(), isGuarded: false, budget };
  const result = evaluate(program, data, { ...scope, onAccess: (access) => accesses.push(access) });
  const evaluation = { data, result, accesses };
  EVALUATIONS.set(program, [evaluation, ...known.slice(0, MAX_EVALUATIONS - 1)]);
  return evaluation;
}

/** The result of a transform, which is an object. */
export function shapeOfTransform(query: QueryView | undefined, data: Shape, onAccess: OnAccess): Shape {
  const isUnchanged =
    query === undefined || (query.node.kind === 'scalar' && ['', '.'].includes(scalarText(query.node)));
  const shape = isUnchanged ? data : shapeOfQuery(query, data, onAccess);
  return shape.kind === 'any' ? ANY_OBJECT : shape;
}
