import { select } from '../../document/queries.ts';
import { type Rule, removeElement } from '../../reports/rule.ts';

/** The fields of states that name functions. */
const CALLS = [
  'action.function',
  'actions.*.function',
  'notify.function',
  'remind.action.function',
  'escalate.action.function',
];

export const functionUnused: Rule = {
  severity: 'hint',
  about: 'No action calls the function. A container function that is declared and not called is still prepared.',
  wrong: `functions:
- {id: pay, type: subflow, workflow: pay}
- {id: refund, type: subflow, workflow: refund}
states:
- id: charge
  type: action
  action: {function: pay}
`,
  right: `functions:
- {id: pay, type: subflow, workflow: pay}
states:
- id: charge
  type: action
  action: {function: pay}
`,
  *check(workflow) {
    const { states, functions, problems } = workflow;
    const calls = new Set(
      states.flatMap(({ node }) => CALLS.flatMap((path) => select(node, path)).map((one) => one.node.value)),
    );
    // A call of a function that does not exist probably means this one.
    if (problems.length > 0) return;
    for (const { id, node, line, column } of functions) {
      if (calls.has(id)) continue;
      const mend = functions.length > 1 ? removeElement(workflow, node, 'remove the function') : undefined;
      yield {
        at: { line, column },
        message: `no action calls the function '${id}'`,
        hint: 'call it or remove it',
        ...(mend && { mend }),
      };
    }
  },
};
