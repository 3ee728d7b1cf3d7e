import { select } from '../document/queries.ts';
import type { Rule } from '../reports/rule.ts';

/** A verb of Go's format strings; `%%` is a percent sign. */
const VERB = /%(?:%|[-+# 0]*\d*(?:\.\d+)?[vTtbcdoOqxXUeEfFgGsp])/g;

export const messageArguments: Rule = {
  severity: 'warning',
  about:
    'The `message` of an `error` state is a format string when the state has `args`: each `%s` or `%v` takes one of them. The numbers differ, so that the message shows `%!s(MISSING)` or `%!(EXTRA …)`.',
  wrong: `states:
- id: refuse
  type: error
  error: order.refused
  message: 'order %s costs %v'
  args: [jq(.id)]
`,
  right: `states:
- id: refuse
  type: error
  error: order.refused
  message: 'order %s costs %v'
  args: [jq(.id), jq(.price)]
`,
  *check({ states }) {
    for (const { node, plan } of states) {
      if (plan?.work.do !== 'raise' || plan.work.args.length === 0) continue;
      const [message] = select(node, 'message');
      const text = message?.node.value;
      if (message === undefined || typeof text !== 'string' || /\bj[qs]\(/.test(text)) continue;
      const verbs = [...text.matchAll(VERB)].filter(([verb]) => verb !== '%%').length;
      if (verbs === plan.work.args.length) continue;
      const hint = 'write %v in the message for each element of args';
      yield {
        at: message.node,
        message: `the message has ${verbs} placeholders, and args has ${plan.work.args.length} elements`,
        hint,
      };
    }
  },
};
