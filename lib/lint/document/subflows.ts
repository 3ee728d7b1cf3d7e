import { posix } from 'node:path';
import { actionsOf } from '../../compiler/plan/traits.ts';
import type { Node } from '../../language/yaml/parser.ts';
import { exitsAfterSuccess, reachable } from './graph.ts';
import { select } from './queries.ts';
import type { Workflow } from './workflow.ts';

/** A function that calls another workflow. */
export interface SubflowView {
  readonly id: string;
  readonly node: Node;
  /** As written, with its ref. */
  readonly target: string;
  /** One of the paths that a computed `workflow` may give: no call is certain. */
  readonly isChoice: boolean;
}

/**
 * The workflows that the functions of a workflow call. Of a function whose path is computed these are the allowed paths
 * without a `*`.
 */
export function subflowsOf({ functions }: Workflow): readonly SubflowView[] {
  return functions.flatMap(({ id, node, plan }) => {
    if (plan?.type !== 'subflow') return [];
    const isChoice = plan.allowed !== undefined;
    return select(node, isChoice ? 'allowed.*' : 'workflow')
      .map(({ node: field }) => ({
        id,
        node: field,
        target: typeof field.value === 'string' ? field.value : '',
        isChoice,
      }))
      .filter(({ target }) => !isChoice || !target.includes('*'));
  });
}

/** The path that a subflow has in the tree, without a leading slash, its ref and the extension of its file. */
export function calledPath(caller: string, target: string): string {
  const [path = ''] = target.split(':');
  const absolute = path.startsWith('/') ? path : posix.join('/', posix.dirname(caller), path);
  return posix
    .normalize(absolute)
    .replace(/^\/+/, '')
    .replace(/\.ya?ml$/, '');
}

/** The subflows that every successful run of a workflow calls, by their paths. */
export function certainCalls(workflow: Workflow, path: string): readonly string[] {
  const { entry, states } = workflow;
  if (entry === undefined || states.some(({ plan }) => plan === undefined)) return [];
  return subflowsOf(workflow).flatMap(({ id, target, isChoice }) => {
    if (isChoice) return [];
    const calls = (name: string) =>
      actionsOf(stateOf(name)?.plan?.work ?? { do: 'nothing' }).some((one) => one.function === id);
    const stateOf = (name: string) => states.find((state) => state.id === name);
    const mayEnd = (name: string) => !calls(name) && exitsAfterSuccess(stateOf(name) ?? NONE).includes(undefined);
    const next = (state: (typeof states)[number]) =>
      calls(state.id) ? [] : [...exitsAfterSuccess(state), ...catchesOf(state)].filter((one) => one !== undefined);
    const before = [...reachable(workflow, [entry], next)];
    const isAvoidable = before.some((name) => mayEnd(name) || (stateOf(name)?.plan?.work.do === 'each' && calls(name)));
    return isAvoidable || !before.some(calls) ? [] : [calledPath(path, target)];
  });
}

const catchesOf = ({ plan }: Workflow['states'][number]): (string | undefined)[] =>
  (plan?.catch ?? []).map(({ transition }) => transition);

const NONE: Workflow['states'][number] = {
  id: '',
  index: 0,
  line: 1,
  column: 1,
  node: { kind: 'scalar', value: null, tag: '!!null', text: '', line: 1, column: 1 },
  targets: [],
  queries: [],
};
