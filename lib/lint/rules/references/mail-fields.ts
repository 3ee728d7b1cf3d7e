import { isComputed } from '../../../compiler/decoding/computed.ts';
import { MAIL_FIELDS, parseMailAddress } from '../../../compiler/plan/mails.ts';
import { omitUndefined } from '../../../language/omit-undefined.ts';
import { closestName } from '../../../language/suggestions.ts';
import type { MapNode, Node } from '../../../language/yaml/parser.ts';
import { select } from '../../document/queries.ts';
import type { Workflow } from '../../document/workflow.ts';
import type { Mend, Report } from '../../reports/finding.ts';
import { appendInside, type Rule, replaceName } from '../../reports/rule.ts';

/** The fields of states that are actions. */
const ACTIONS = ['action', 'actions.*', 'notify', 'remind.action', 'escalate.action'];

const RECIPIENTS = ['to', 'cc', 'bcc'] as const;
const ADDRESSES = [...RECIPIENTS, 'from', 'replyTo'] as const;

const has = (node: Node | undefined, names: readonly string[]): boolean =>
  node !== undefined && names.some((name) => select(node, name).length > 0);

/** The fields of an input that mails do not have. */
function* unknownFields(workflow: Workflow, input: MapNode): Generator<Report> {
  const known: readonly string[] = MAIL_FIELDS;
  for (const { key, line, column } of input.entries.values()) {
    if (known.includes(key)) continue;
    const near = closestName(key, known);
    const mend = near === undefined ? undefined : replaceName(workflow, { line, column }, { from: key, to: near });
    const hint = near === undefined ? `a mail has ${known.join(', ')}` : `did you mean '${near}'?`;
    yield { at: { line, column }, message: `a mail has no field '${key}'`, hint, ...omitUndefined({ mend }) };
  }
}

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
    'The `input` of an action with a `mail` function has a field that mails do not have, or a text that is no address; or nothing names a recipient. The call fails with `mail.request`.',
  wrong: `functions:
- {id: notify, type: mail, from: shop@example.com}
states:
- id: inform
  type: action
  action:
    function: notify
    input: {to: ada@example.com, titel: Your order, body: 'It is on its way.'}
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
    const mails = new Map(
      select(workflow.root, 'functions.*').flatMap(({ node }) => {
        const [type, id] = [select(node, 'type')[0], select(node, 'id')[0]];
        return type?.node.value === 'mail' ? [[id?.node.value, node] as const] : [];
      }),
    );
    for (const { node: state } of workflow.states) {
      for (const { node: action } of ACTIONS.flatMap((path) => select(state, path))) {
        const called = mails.get(select(action, 'function')[0]?.node.value);
        if (called === undefined) continue;
        const [input] = select(action, 'input');
        yield* missingRecipient(workflow, action, called);
        if (input?.node.kind !== 'map') continue;
        yield* unknownFields(workflow, input.node);
        yield* wrongAddresses(workflow, input.node);
      }
    }
  },
};
