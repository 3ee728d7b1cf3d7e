import { JqSyntaxError } from '../../../language/jq/syntax/errors.ts';
import { isNumber } from '../../../language/json-numbers.ts';
import type { Node } from '../../../language/yaml/parser.ts';
import { select } from '../../document/queries.ts';
import { locateScripts, programOf } from '../../document/scripts.ts';
import type { Workflow } from '../../document/workflow.ts';
import { replaceScalar } from '../../mends/scalars.ts';
import type { Report } from '../../reports/finding.ts';
import type { Rule } from '../../reports/rule.ts';
import { kindOf } from '../queries/transform-not-object.ts';

const CONTEXTS = ['event.context', 'events.*.context', 'events.*.event.context'];

/** The values of the contexts of an event that a workflow waits for, or starts with. */
const valuesIn = (node: Node): Node[] =>
  CONTEXTS.flatMap((path) => select(node, path)).flatMap((context) =>
    context.node.kind === 'map' ? [...context.node.entries.values()].map((entry) => entry.node) : [],
  );

/** The source of a value that is one jq program, whose results are certainly numbers or booleans, with their kind. */
function queryOf(node: Node): { readonly kind: string; readonly source: string } | undefined {
  if (node.kind !== 'scalar' || typeof node.value !== 'string') return undefined;
  const [script, ...others] = locateScripts(node.text).scripts;
  if (script?.kind !== 'jq' || others.length > 0 || node.text.trim() !== `jq(${script.source})`) return undefined;
  const program = programOf(script.source);
  const kind = program instanceof JqSyntaxError ? undefined : kindOf(program);
  return kind === 'a number' || kind === 'a boolean' ? { kind, source: script.source } : undefined;
}

export const contextNotText: Rule = {
  severity: 'warning',
  about:
    'A value in the `context` of an event that a workflow waits for, or starts with, is a number or a boolean. Only texts are compared: such a value matches every event of the type that has the attribute, as in the original. The context of `cancelOn` is compared by value.',
  wrong: `start: {type: event, event: {type: order.paid, context: {version: 2}}}
states:
- {id: ship, type: noop}
`,
  right: `start: {type: event, event: {type: order.paid, context: {version: '2'}}}
states:
- {id: ship, type: noop}
`,
  *check(workflow) {
    const { states, startNode } = workflow;
    const waiting = states.filter(({ plan }) => plan?.work.do.startsWith('listen'));
    for (const node of waiting.flatMap((state) => valuesIn(state.node))) yield* reportOf(workflow, node, queryOf(node));
    // A start evaluates nothing.
    for (const node of startNode === undefined ? [] : valuesIn(startNode)) yield* reportOf(workflow, node);
  },
};

function* reportOf(workflow: Workflow, node: Node, query?: ReturnType<typeof queryOf>): Generator<Report> {
  const plain = isNumber(node.value) ? 'a number' : typeof node.value === 'boolean' ? 'a boolean' : undefined;
  const kind = query?.kind ?? plain;
  if (node.kind !== 'scalar' || kind === undefined) return;
  const text = query === undefined ? node.text : `jq(${query.source} | tostring)`;
  const hint = query === undefined ? `quote it: '${text}'` : `make it a text: ${text}`;
  const mend = replaceScalar(workflow, node, text, hint);
  const message = `${kind} in the context of an event matches every value of the attribute`;
  yield { at: node, message, hint, ...(mend && { mend }) };
}
