import { isComputed } from '../../../compiler/decoding/computed.ts';
import { parseMailAddress } from '../../../compiler/plan/mails.ts';
import { omitUndefined } from '../../../language/omit-undefined.ts';
import type { MapNode, Node } from '../../../language/yaml/parser.ts';
import { functionCalls, textAt } from '../../document/calls.ts';
import { select } from '../../document/queries.ts';
import type { Workflow } from '../../document/workflow.ts';
import type { Mend, Report } from '../../reports/finding.ts';
import { appendInside, type Rule, replaceName } from '../../reports/rule.ts';

const RECIPIENTS = ['to', 'cc', 'bcc'] as const;
const ADDRESSES = [...RECIPIENTS, 'from', 'replyTo'] as const;

const has = (node: Node | undefined, names: readonly string[]): boolean =>
  node !== undefined && names.some((name) => select(node, name).length > 0);

/** The mend that makes a list of the addresses which commas divide, of a text without quotes. */
function asList(workflow: Workflow, node: Node, text: string): Mend | undefined {
  const all = text.split(',').map((one) => one.trim());
  const { source } = workflow;
  if (all.some((one) => parseMailAddress(one) === undefined) || !source.text.startsWith(text, source.offsetOf(node)))
    return undefined;
  return replaceName(workflow, node, { from: text, to: `[${all.join(', ')}]` });
}

/** The literal texts of an input that are no addresses. */
function* wrongAddresses(workflow: Workflow, input: MapNode): Generator<Report> {
  for (const { node } of ADDRESSES.flatMap((name) => [...select(input, name), ...select(input, `${name}.*`)])) {
    if (node.kind !== 'scalar' || node.value === null) continue;
    if (isComputed(node.value) || parseMailAddress(node.value) !== undefined) continue;
    const hint = 'write it like ada@example.com or Ada <ada@example.com>, and several as a list';
    const mend = typeof node.value === 'string' ? asList(workflow, node, node.value) : undefined;
    yield { at: node, message: 'this is not an address', hint, ...omitUndefined({ mend }) };
  }
}

/** An action of a mail function that names no recipient. */
function* missingRecipient(workflow: Workflow, action: Node, called: Node): Generator<Report> {
  const [input] = select(action, 'input');
  const isKnown = input === undefined || input.node.kind === 'map';
  if (!isKnown || has(called, RECIPIENTS) || has(input?.node, RECIPIENTS)) return;
  const mend = appendInside(
    workflow,
    input?.node ?? action,
    input ? 'to: jq(.to)' : 'input: {to: jq(.to)}',
    "add 'to'",
  );
  const hint = "write 'to', 'cc' or 'bcc' in the function or in the input of the action";
  yield { at: input?.node ?? action, message: 'the mail has no recipient', hint, ...omitUndefined({ mend }) };
}

export const mailFields: Rule = {
  severity: 'warning',
  about:
    'The `input` of an action with a `mail` function has a text that is no address, or nothing names a recipient. The call fails with `mail.request`.',
  wrong: `functions:
- {id: notify, type: mail, from: shop@example.com}
states:
- id: inform
  type: action
  action:
    function: notify
    input: {to: 'ada at example.com', subject: Your order, text: 'It is on its way.'}
`,
  right: `functions:
- {id: notify, type: mail, from: shop@example.com}
states:
- id: inform
  type: action
  action:
    function: notify
    input: {to: ada@example.com, subject: Your order, text: 'It is on its way.'}
`,
  *check(workflow) {
    for (const { action, called } of functionCalls(workflow)) {
      if (textAt(called, 'type') !== 'mail') continue;
      const [input] = select(action, 'input');
      yield* missingRecipient(workflow, action, called);
      if (input?.node.kind === 'map') yield* wrongAddresses(workflow, input.node);
    }
  },
};
