import { select } from '../../document/queries.ts';
import { removeFrom } from '../../mends/removal.ts';
import type { Rule } from '../../reports/rule.ts';

export const secretUnused: Rule = {
  severity: 'hint',
  about:
    'An action lists a secret, and its own `input` never uses it: with an `input`, secrets are sent only where the input names them.',
  wrong: `functions:
- {id: pay, type: subflow, workflow: pay}
states:
- id: charge
  type: action
  action:
    function: pay
    secrets: [PAYKEY]
    input: {amount: jq(.amount)}
`,
  right: `functions:
- {id: pay, type: subflow, workflow: pay}
states:
- id: charge
  type: action
  action:
    function: pay
    secrets: [PAYKEY]
    input: {amount: jq(.amount), key: jq(.secrets.PAYKEY)}
`,
  *check(workflow) {
    for (const { node: state } of workflow.states) {
      for (const { node: action } of [...select(state, 'action'), ...select(state, 'actions.*')]) {
        const [input] = select(action, 'input');
        if (input === undefined || input.node.value === null) continue;
        const used = JSON.stringify([input.node.value, select(action, 'files')[0]?.node.value ?? null]);
        // `jq(.)` and `jq(.secrets)` send all of them.
        if (/secrets(?!\.[A-Za-z_])|jq\(\s*\.\s*[|)+*]|\bdata\b(?!\.(?!secrets))/.test(used)) continue;
        for (const { node } of select(action, 'secrets.*')) {
          if (typeof node.value !== 'string' || used.includes(node.value)) continue;
          const message = `the input does not use the secret '${node.value}'`;
          const mend = action.kind === 'map' ? removeFrom(workflow, action, 'secrets', node) : undefined;
          yield {
            at: node,
            message,
            hint: `use it as jq(.secrets.${node.value}), or remove it from the list`,
            ...(mend && { mend }),
          };
        }
      }
    }
  },
};
