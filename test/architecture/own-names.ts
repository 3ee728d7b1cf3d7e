import type { BinaryExpression, ElementAccessExpression, Node } from 'typescript/unstable/ast';
import {
  isBinaryExpression,
  isCallExpression,
  isElementAccessExpression,
  isLiteralExpression,
  isTemplateSpan,
} from 'typescript/unstable/ast/is';
import { createVirtualFileSystem } from 'typescript/unstable/fs';
import { API, type Checker } from 'typescript/unstable/sync';
import { nodesOf, placeOf, type Violation } from './house.ts';

/** Types of objects whose names are ours: attributes of items, columns, variables of the environment. */
const OWN_TYPES = ['Item', 'Row', 'ProcessEnv'];

/** Types of a name that can be any text; a union of literals or a part of a template cannot. */
const ANY_TEXT = ['string', 'string | undefined', 'string | number'];

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** The text of an object without parentheses and type. */
const nameOf = (object: Node) => object.getText().replace(/^\((.*?)( as .*)?\)$/s, '$1');

/** The statement of the file that a node is in. */
function statementOf(node: Node): string {
  let at = node;
  while (at.parent?.parent !== undefined) at = at.parent;
  return at.getText();
}

/**
 * Whether the statement of a node shows that the names are the object's own: it tests the name, lists the names of the
 * object (`Object.keys`, `sortedKeys`), handles `__proto__`, or makes the object without a prototype.
 */
function isGuarded(object: Node): boolean {
  const [statement, name] = [statementOf(object), escaped(nameOf(object))];
  const listed = new RegExp(`(hasOwn|hasMember|[kK]eys|entries)\\(\\s*${name}\\b`);
  const bare = new RegExp(`\\b${name}\\b[^;\\n]* = (Object\\.assign\\()?Object\\.create\\(null\\)`);
  return listed.test(statement) || bare.test(statement) || statement.includes("'__proto__'");
}

type Access = ElementAccessExpression | BinaryExpression;

const isAccess = (node: Node): node is Access =>
  isElementAccessExpression(node)
    ? !isLiteralExpression(node.argumentExpression)
    : isBinaryExpression(node) && node.operatorToken.getText() === 'in' && !isLiteralExpression(node.left);

const partsOf = (node: Access) =>
  isElementAccessExpression(node)
    ? { object: node.expression, name: node.argumentExpression }
    : { object: node.right, name: node.left };

/** What a file does with its values, as far as it depends on their types. */
interface Reading {
  readonly path: string;
  readonly nodes: readonly Node[];
  readonly typesOf: (nodes: readonly Node[]) => readonly string[];
}

function inheritedIn({ path, nodes, typesOf }: Reading): Violation[] {
  const found = nodes.filter(isAccess).map(partsOf);
  const [objects, names] = [typesOf(found.map(({ object }) => object)), typesOf(found.map(({ name }) => name))];
  const open = found.filter(
    ({ object }, index) =>
      ANY_TEXT.includes(names[index] ?? '') && !OWN_TYPES.includes(objects[index] ?? '') && !isGuarded(object),
  );
  return open.map(({ object, name }) => ({
    at: placeOf(object, { path }),
    why: `'${nameOf(object)}' is read by the name '${name.getText()}', which may be 'toString': use ownMember`,
  }));
}

/** Values of JSON and YAML, of which a map may have a member `toString`. */
const ANY_JSON = /^(unknown|\{\}( \| (null|undefined))*|.*\bJson\b.*|Record<string, unknown>)$/;

/** Values that are thrown. */
const THROWN = /^(error|cause|fault|thrown|reason)$|\bError\b/;

/** The value that a node converts to a text, or undefined: `String(value)`, or a part of a template. */
function textedIn(node: Node): Node | undefined {
  if (isTemplateSpan(node)) return node.expression;
  return isCallExpression(node) && node.expression.getText() === 'String' ? node.arguments[0] : undefined;
}

function unprintableIn({ path, nodes, typesOf }: Reading): Violation[] {
  const texted = nodes.map(textedIn).filter((node) => node !== undefined && !THROWN.test(node.getText())) as Node[];
  const types = typesOf(texted);
  const open = texted.filter((_, index) => ANY_JSON.test(types[index] ?? ''));
  return open.map((node) => ({
    at: placeOf(node, { path }),
    why: `'${node.getText()}' becomes a text, and may be a map with a member 'toString': test its type before`,
  }));
}

function violationsIn(tree: Node, path: string, checker: Checker): Violation[] {
  const typesOf = (nodes: readonly Node[]) =>
    nodes.length === 0
      ? []
      : checker.getTypeAtLocation(nodes).map((type) => (type === undefined ? '' : checker.typeToString(type)));
  const reading = { path, nodes: [...nodesOf(tree)], typesOf };
  return [...inheritedIn(reading), ...unprintableIn(reading)];
}

/**
 * Members that are read or written by a name which every object inherits (`constructor`, `__proto__`), and values that
 * become texts although they may be maps with a member `toString`. Reads the files `paths` of the repository; with
 * `texts`, these texts instead. The types of names and values decide, so the compiler resolves all imports.
 */
export function misreadNames(paths: readonly string[], texts?: Readonly<Record<string, string>>): Violation[] {
  const root = process.cwd();
  const project = `${root}/names.tsconfig.json`;
  const base =
    texts === undefined ? { extends: './tsconfig.json' } : { compilerOptions: { noLib: true, noEmit: true } };
  const files = { [project]: JSON.stringify({ ...base, include: [], files: paths }) };
  for (const [path, text] of Object.entries(texts ?? {})) files[`${root}/${path}`] = text;
  const onDisk = {
    readFile: (path: string) => files[path],
    fileExists: (path: string) => (path === project ? true : undefined),
  };
  const compiler = new API({ cwd: root, fs: texts === undefined ? onDisk : createVirtualFileSystem(files) });
  try {
    const opened = compiler.updateSnapshot({ openProjects: [project] }).getProject(project);
    if (opened === undefined) throw new Error('the compiler did not open the project');
    return paths.flatMap((path) => {
      const tree = opened.program.getSourceFile(`${root}/${path}`);
      if (tree === undefined) throw new Error(`the compiler did not read ${path}`);
      return violationsIn(tree, path, opened.checker);
    });
  } finally {
    compiler.close();
  }
}
