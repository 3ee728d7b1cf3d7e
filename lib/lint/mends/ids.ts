import type { Position } from '../../language/position.ts';
import { scalarText } from '../../language/yaml/node.ts';
import { select } from '../document/queries.ts';
import type { Workflow } from '../document/workflow.ts';
import type { Edit } from '../reports/finding.ts';
import { rangeOf } from '../reports/rule.ts';
import { lineEdit, withFirstField } from './fields.ts';
import { type MakeMend, wordAt } from './words.ts';

/** The id in the form that the language requires: lower-case letters, digits and dashes. */
function toId(word: string): string {
  const dashed = word.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
  return dashed.replace(/[^a-z0-9_.-]+/g, '-').replace(/^[^a-z]+|[^a-z0-9]+$/g, '');
}

/** A place where a state or function is named. */
interface Use {
  readonly name: string;
  readonly at: Position;
}

const transitionsIn = ({ states, root }: Workflow): Use[] => [
  ...states.flatMap(({ targets }) => targets.map((one) => ({ name: one.name, at: one }))),
  ...select(root, 'start.state').map(({ node }) => ({ name: scalarText(node), at: node })),
];

const callsIn = ({ states }: Workflow): Use[] =>
  states.flatMap(({ node }) =>
    ['action.function', 'actions.*.function']
      .flatMap((path) => select(node, path))
      .map((one) => ({ name: scalarText(one.node), at: one.node })),
  );

/** Renames a state or function with the transitions and actions that name it. */
export const renameId: MakeMend = (workflow, problem) => {
  const id = wordAt(workflow, problem);
  const to = toId(id);
  const range = rangeOf(workflow, problem, id);
  const isState = /^state\[/.test(problem.message);
  const ids = (isState ? workflow.states : workflow.functions).map((one) => one.id);
  if (to === '' || ids.includes(to) || range === undefined) return undefined;
  const uses = isState ? transitionsIn(workflow) : callsIn(workflow);
  const edits = uses.flatMap(({ name, at }): Edit[] => {
    const used = name === id ? rangeOf(workflow, at, id) : undefined;
    return used === undefined ? [] : [{ ...used, text: to }];
  });
  return { title: `rename '${id}' to '${to}'`, edits: [{ ...range, text: to }, ...edits], isCertain: true };
};

/**
 * Corrects the second of two states or functions with the same id. A copy of one line is removed; another one gets a new
 * id. If the state above has no transition, or one to its own id, its transition becomes the new id.
 */
export const renameDuplicate: MakeMend = (workflow, problem) => {
  const id = wordAt(workflow, problem);
  const range = rangeOf(workflow, problem, id);
  const { lineAt, text: source } = workflow.source;
  const written = lineAt(problem.line).trim();
  if (/^- \{.*\}$/.test(written) && source.split('\n').findIndex((line) => line.trim() === written) < problem.line - 1)
    return { title: 'remove the copy', edits: [lineEdit(problem.line)], isCertain: false };
  const isState = problem.message.startsWith('state');
  const parts = isState ? workflow.states : workflow.functions;
  const ids = new Set(parts.map((part) => part.id));
  let number = 2;
  while (ids.has(`${id}-${number}`)) number += 1;
  if (range === undefined) return undefined;
  const to = `${id}-${number}`;
  return {
    title: `rename the second '${id}' to '${to}'`,
    edits: [{ ...range, text: to }, ...(isState ? leadingTo(workflow, id, to) : [])],
    isCertain: false,
  };
};

/** The edits that change the transition of the state above the second state with this id to its new id. */
function leadingTo(workflow: Workflow, id: string, to: string): readonly Edit[] {
  const first = workflow.states.findIndex((state) => state.id === id);
  const second = workflow.states.findIndex((state, index) => index > first && state.id === id);
  const above = workflow.states[second - 1];
  if (above === undefined) return [];
  const [target] = above.targets;
  const range = target?.name === id && above.targets.length === 1 ? rangeOf(workflow, target, id) : undefined;
  if (range !== undefined) return [{ ...range, text: to }];
  return above.targets.length === 0 ? (withFirstField(workflow, above.node, `transition: ${to}`) ?? []) : [];
}
