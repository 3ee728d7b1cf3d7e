import { closestName } from '../../../language/suggestions.ts';
import { reachable } from '../../document/graph.ts';
import { withFirstField } from '../../mends/fields.ts';
import type { Rule } from '../../reports/rule.ts';

/** Names of states that do not exist which the ids of states are compared with. */
const MAX_LOST = 20;

export const stateUnreachable: Rule = {
  severity: 'warning',
  about:
    'No transition leads to the state, so no run enters it. Often a `transition` is missing in the state above, or names another state.',
  wrong: `states:
- id: check
  type: noop
- id: pay
  type: noop
`,
  right: `states:
- id: check
  type: noop
  transition: pay
- id: pay
  type: noop
`,
  *check(workflow) {
    const { entry, states } = workflow;
    if (!states.some(({ id }) => id === entry) || states.some(({ plan }) => plan === undefined)) return;
    const ids = new Set(states.map(({ id }) => id));
    // The intended way is not known behind a transition to a state that does not exist.
    const names = states.flatMap(({ targets }) => targets.map(({ name }) => name)).filter((name) => !ids.has(name));
    const lost = [...new Set(names)].slice(0, MAX_LOST);
    const reached = reachable(workflow, [entry ?? '']);
    for (const { id, line, column, index } of states) {
      if (id === '' || reached.has(id) || lost.some((name) => closestName(name, [id]) !== undefined)) continue;
      const above = states[index - 1];
      const isNext = above?.plan?.exit.transition === undefined && above !== undefined && reached.has(above.id);
      const hint = isNext
        ? `add 'transition: ${id}' to the state '${above.id}'?`
        : 'add a transition to it, or remove it';
      const edits = isNext ? withFirstField(workflow, above.node, `transition: ${id}`) : undefined;
      const mend = edits && { title: `add 'transition: ${id}'`, edits, isCertain: false };
      yield { at: { line, column }, message: `no transition leads to the state '${id}'`, hint, ...(mend && { mend }) };
    }
  },
};
