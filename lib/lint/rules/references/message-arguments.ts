import { omitUndefined } from '../../../language/omit-undefined.ts';
import { scalarText } from '../../../language/yaml/node.ts';
import type { Node } from '../../../language/yaml/parser.ts';
import { select } from '../../document/queries.ts';
import type { Workflow } from '../../document/workflow.ts';
import { replaceScalar } from '../../mends/scalars.ts';
import type { Mend } from '../../reports/finding.ts';
import { appendInside, type Rule } from '../../reports/rule.ts';

/** A verb of Go's format strings; `%%` is a percent sign. */
const VERB = /%(?:%|[-+# 0]*(?:[1-9]\d*)?(?:\.\d+)?[vTtbcdoOqxXUeEfFgGsp])/g;

/** Adds arguments, each the whole data, or placeholders at the end of the message. */
function balanced(workflow: Workflow, state: Node, missing: number): Mend | undefined {
  const [args] = select(state, 'args');
  const [message] = select(state, 'message');
  if (missing > 0) {
    const list = Array.from({ length: missing }, () => 'jq(.)').join(', ');
    return args && appendInside(workflow, args.node, list, `add ${list} to args`);
  }
  const text = `${scalarText(message?.node)}${' %v'.repeat(-missing)}`;
  return message && replaceScalar(workflow, message.node, text, 'add the placeholders to the message');
}

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
  *check(workflow) {
    for (const { node, plan } of workflow.states) {
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
        ...omitUndefined({ mend: balanced(workflow, node, verbs - plan.work.args.length) }),
      };
    }
  },
};
