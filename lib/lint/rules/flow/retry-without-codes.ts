import { select } from '../../document/queries.ts';
import { appendInside, type Rule } from '../../reports/rule.ts';

export const retryWithoutCodes: Rule = {
  severity: 'warning',
  about:
    'The `retries` of a `foreach` have no `codes` or no `max_attempts`, which are checked only in other states: nothing is ever retried.',
  wrong: `functions:
- {id: pay, type: subflow, workflow: pay}
states:
- id: all
  type: foreach
  array: jq(.orders)
  action:
    function: pay
    retries: {max_attempts: 3, delay: PT5S}
`,
  right: `functions:
- {id: pay, type: subflow, workflow: pay}
states:
- id: all
  type: foreach
  array: jq(.orders)
  action:
    function: pay
    retries: {max_attempts: 3, delay: PT5S, codes: [pay.busy]}
`,
  *check(workflow) {
    for (const { node, plan } of workflow.states) {
      if (plan?.work.do !== 'each' && plan?.work.do !== 'call' && plan?.work.do !== 'all') continue;
      for (const { node: retries } of [...select(node, 'action.retries'), ...select(node, 'actions.*.retries')]) {
        const [codes, attempts] = [select(retries, 'codes.*'), select(retries, 'max_attempts')[0]?.node.value];
        if (codes.length === 0 && plan.work.do === 'each') {
          const mend = appendInside(workflow, retries, "codes: ['.*']", 'retry every error');
          const hint = "codes: ['.*'] retries every error";
          yield { at: retries, message: 'nothing is retried: the codes are missing', hint, ...(mend && { mend }) };
        }
        if (typeof attempts !== 'number' || attempts < 1) {
          const mend =
            attempts === undefined
              ? appendInside(workflow, retries, 'max_attempts: 3', 'retry three times')
              : undefined;
          const hint = 'write max_attempts: 3 for three retries';
          yield {
            at: retries,
            message: 'nothing is retried: max_attempts must be more than 0',
            hint,
            ...(mend && { mend }),
          };
        }
      }
    }
  },
};
