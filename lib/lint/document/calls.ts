import type { Node } from '../../language/yaml/parser.ts';
import { select } from './queries.ts';
import type { Workflow } from './workflow.ts';

/** An action, and the function of the workflow that it calls. */
export interface FunctionCall {
  readonly action: Node;
  readonly called: Node;
}

/** The fields of states that are actions. */
const ACTIONS = ['action', 'actions.*', 'notify', 'remind.action', 'escalate.action'];

/** The text of a field; empty if it is missing or none. */
export function textAt(node: Node, path: string): string {
  const value = select(node, path)[0]?.node.value;
  return typeof value === 'string' ? value : '';
}

/** The actions of a workflow that call one of its functions. */
export function* functionCalls(workflow: Workflow): Generator<FunctionCall> {
  const functions = new Map(select(workflow.root, 'functions.*').map(({ node }) => [textAt(node, 'id'), node]));
  for (const { node: state } of workflow.states) {
    for (const { node: action } of ACTIONS.flatMap((path) => select(state, path))) {
      const called = functions.get(textAt(action, 'function'));
      if (called !== undefined) yield { action, called };
    }
  }
}
