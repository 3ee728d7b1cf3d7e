import { posix } from 'node:path';
import { isAllowedPath } from '../../compiler/plan/subflows.ts';
import { scalarText } from '../../language/yaml/node.ts';
import type { MapNode, Node } from '../../language/yaml/parser.ts';
import { calledPath } from '../../lint/document/subflows.ts';
import type { FunctionView, Workflow } from '../../lint/document/workflow.ts';
import type { Completion, Surroundings } from './completion-items.ts';

const fieldOf = (node: Node | undefined, name: string): Node | undefined =>
  node?.kind === 'map' ? node.entries.get(name)?.node : undefined;

const itemsOf = (node: Node | undefined): readonly Node[] => (node?.kind === 'list' ? node.items : []);

const hasKey = (node: Node | undefined, key: string): boolean => node?.kind === 'map' && node.entries.has(key);

/** The workflows of a case, or of all cases of a file of tests, by their paths in the folder of the editor. */
class Reachable {
  readonly #roots: readonly string[];
  readonly #workflows: ReadonlyMap<string, Workflow>;
  readonly #found = new Map<string, Workflow>();

  constructor(roots: readonly string[], workflows: ReadonlyMap<string, Workflow>) {
    this.#roots = roots;
    this.#workflows = workflows;
  }

  /** Adds a workflow with its subflows, and theirs. */
  add(path: string): void {
    const workflow = this.#workflows.get(path);
    if (workflow === undefined || this.#found.has(path)) return;
    this.#found.set(path, workflow);
    for (const { plan } of workflow.functions) {
      if (plan?.type !== 'subflow') continue;
      for (const target of plan.allowed ?? [plan.workflow]) {
        const called = `/${calledPath(this.#treePathOf(path), target)}`;
        for (const one of this.#workflows.keys()) if (isAllowedPath(called, `/${this.#treePathOf(one)}`)) this.add(one);
      }
    }
  }

  /** The functions by the names that a file of tests has for them, where the workflows `mains` are under test. */
  functions(mains: readonly string[]): readonly (readonly [string, FunctionView])[] {
    const all = [...this.#found].flatMap(([path, { functions }]) => functions.map((one) => ({ path, one })));
    const own = all.filter(({ path }) => mains.includes(path)).map(({ one }) => [one.id, one] as const);
    const others = all.filter(({ path }) => !mains.includes(path));
    return [...own, ...others.map(({ path, one }) => [`${this.#treePathOf(path)}#${one.id}`, one] as const)];
  }

  /** The path in the tree: relative to the first root above it. */
  #treePathOf(path: string): string {
    const root = this.#roots.find((one) => one === '' || path.startsWith(`${one}/`));
    return root === undefined ? posix.basename(path) : path.slice(root === '' ? 0 : root.length + 1);
  }
}

/** A file of tests in an editor. */
interface TestFile extends Surroundings {
  readonly root: MapNode;
}

const joined = (...parts: readonly string[]): string => posix.join(...parts).replace(/^\.$|\/$/g, '');

/** The paths of the workflows that a field of a test names by their files. */
const pathsOf = ({ path }: TestFile, nodes: readonly (Node | undefined)[]): readonly string[] =>
  nodes.flatMap((node) =>
    node === undefined ? [] : [joined(posix.dirname(path), scalarText(node)).replace(/\.ya?ml$/, '')],
  );

function functionItems(file: TestFile, tests: readonly Node[], given: MapNode): readonly Completion[] {
  const { root, path, home = posix.dirname(path), workflows } = file;
  const folders = itemsOf(fieldOf(root, 'folders')).map((node) => joined(posix.dirname(path), scalarText(node)));
  const reachable = new Reachable(folders.length > 0 ? folders : [joined(home)], workflows);
  const workflowsOf = (name: string, one: Node) => fieldOf(one, name) ?? fieldOf(root, name);
  const mains = pathsOf(
    file,
    tests.map((one) => workflowsOf('workflow', one)),
  );
  const others = pathsOf(
    file,
    tests.flatMap((one) => itemsOf(workflowsOf('others', one))),
  );
  for (const one of [...mains, ...others]) reachable.add(one);
  const named = new Map(reachable.functions(mains).filter(([label]) => !given.entries.has(label)));
  return [...named].map(([label, { plan }]) => ({ label, kind: 'function', detail: plan?.type ?? '' }));
}

/**
 * The names of functions that a mock or an expectation of calls may have, where the key `placeholder` stands for one; undefined if it
 * stands elsewhere. They are those of the workflows under test, and of the others that a case has as `path#id`.
 */
export function functionsOfTests(
  root: Node,
  placeholder: string,
  around: Surroundings,
): readonly Completion[] | undefined {
  if (root.kind !== 'map' || !root.entries.has('cases')) return undefined;
  const cases = itemsOf(fieldOf(root, 'cases'));
  for (const test of [root, ...cases]) {
    const places = [fieldOf(test, 'mocks'), fieldOf(fieldOf(test, 'expect'), 'calls')];
    const given = places.find((node) => hasKey(node, placeholder));
    if (given?.kind !== 'map') continue;
    return functionItems({ ...around, root }, test === root ? [root, ...cases] : [test], given);
  }
  return undefined;
}

/** The files of workflows that a test may name where the value `placeholder` stands for one, relative to its own file. */
export function workflowsOfTests(
  root: Node,
  placeholder: string,
  { path, workflows, files }: Surroundings,
): readonly Completion[] {
  if (!hasKey(root, 'cases')) return [];
  const named = [root, ...itemsOf(fieldOf(root, 'cases'))].flatMap((test) => [
    fieldOf(test, 'workflow'),
    ...itemsOf(fieldOf(test, 'others')),
  ]);
  if (!named.some((node) => node?.kind === 'scalar' && node.value === placeholder)) return [];
  return [...workflows.keys()].map((one) => ({
    label: posix.relative(posix.dirname(`/${path}`), `/${files?.get(one) ?? `${one}.yaml`}`),
    kind: 'workflow',
  }));
}
