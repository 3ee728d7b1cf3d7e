import { scalarText } from '../../../language/yaml/node.ts';
import { select } from '../../document/queries.ts';
import type { StateView, Workflow } from '../../document/workflow.ts';
import { scalarEdit } from '../../mends/scalars.ts';
import type { Mend, Report } from '../../reports/finding.ts';
import type { Rule } from '../../reports/rule.ts';

/** The fields of states that are taken as written (workflow-language 5). */
const LITERAL_FIELDS = [
  'error',
  'event.type',
  'event.source',
  'event.datacontenttype',
  'events.*.type',
  'events.*.event.type',
  'catch.*.error',
  'variables.*.as',
  'variables.*.scope',
  'action.retries.codes.*',
];

const FUNCTION_FIELDS = ['image', 'service', 'cmd', 'envs.*.value'];
const START_FIELDS = ['event.type', 'events.*.type', 'event.context', 'events.*.context', 'cron'];
/** The attributes of the event that a webhook sends are evaluated over its request. */
const WEBHOOK_FIELDS = START_FIELDS.filter((path) => path !== 'event.context');

/** A fixed code for an `error`; its script is moved to the end of the message, which is evaluated. */
function fixedCode(workflow: Workflow, { id, node }: StateView): Mend | undefined {
  const [[code], [message]] = [select(node, 'error'), select(node, 'message')];
  if (code === undefined || message === undefined || typeof message.node.value !== 'string') return undefined;
  const edits = [
    scalarEdit(workflow, code.node, `${id}.failed`),
    scalarEdit(workflow, message.node, `${message.node.value} ${scalarText(code.node)}`),
  ].filter((edit) => edit !== undefined);
  return edits.length < 2
    ? undefined
    : { title: `write the fixed code ${id}.failed, and the script in the message`, edits, isCertain: false };
}

function reportsIn(node: StateView['node'], paths: readonly string[], mend?: Mend): Report[] {
  const found = paths.flatMap((path) => select(node, path).map((one) => ({ ...one, field: path.split('.').at(-1) })));
  return found.flatMap(({ node: field, field: name }) => {
    if (!/\bj[qs]\(/.test(JSON.stringify(field.value))) return [];
    const message = `'${name}' is taken as written: scripts in it are not evaluated`;
    const hint = 'write a fixed text, or choose between several states with a switch';
    return [{ at: field, message, hint, ...(name === 'error' && mend && { mend }) }];
  });
}

function* check(workflow: Workflow): Generator<Report> {
  const { states, functions, startNode } = workflow;
  for (const state of states) {
    const { node, plan } = state;
    if (plan === undefined) continue;
    const isRaise = plan.work.do === 'raise';
    yield* reportsIn(
      node,
      LITERAL_FIELDS.filter((path) => path !== 'error' || isRaise),
      isRaise ? fixedCode(workflow, state) : undefined,
    );
  }
  for (const { node } of functions) yield* reportsIn(node, FUNCTION_FIELDS);
  if (startNode === undefined) return;
  const isWebhook = select(startNode, 'type').some(({ node }) => node.value === 'webhook');
  yield* reportsIn(startNode, isWebhook ? WEBHOOK_FIELDS : START_FIELDS);
}

export const scriptNotEvaluated: Rule = {
  severity: 'warning',
  about:
    'A field that is taken as written has a `jq(...)` or `js(...)`: the code of an `error`, the type and source of an event, an image, the filter of a start. The script is not evaluated.',
  wrong: `states:
- id: refuse
  type: error
  error: jq(.code)
  message: not allowed
`,
  right: `states:
- id: refuse
  type: error
  error: order.refused
  message: 'not allowed: jq(.code)'
`,
  check,
};
