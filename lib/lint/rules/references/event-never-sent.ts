import { closestName } from '../../../language/suggestions.ts';
import { scalarText } from '../../../language/yaml/node.ts';
import { select } from '../../document/queries.ts';
import { once, type Workflow } from '../../document/workflow.ts';
import { type Rule, replaceName } from '../../reports/rule.ts';

const SENT = 'event.type';
const AWAITED = ['event.type', 'events.*.type', 'events.*.event.type'];

/** The nodes of the types of events that a workflow waits for or starts with. */
function awaitedIn({ states, startNode }: Workflow) {
  const waiting = states.filter(({ plan }) => plan?.work.do.startsWith('listen'));
  const nodes = [...waiting.map(({ node }) => node), ...(startNode === undefined ? [] : [startNode])];
  return nodes.flatMap((node) => AWAITED.flatMap((path) => select(node, path)));
}

function sentIn({ states }: Workflow): string[] {
  const sending = states.filter(({ plan }) => plan?.work.do === 'emit');
  return sending.flatMap(({ node }) => select(node, SENT).map((one) => scalarText(one.node)));
}

/** The types of events that workflows send and wait for. */
const eventTypes = once((workflows) => ({
  sent: new Set(workflows.flatMap(sentIn)),
  awaited: new Set(workflows.flatMap(awaitedIn).map(({ node }) => scalarText(node))),
}));

export const eventNeverSent: Rule = {
  severity: 'warning',
  about:
    'A workflow waits for a type of event that no workflow of the folder sends, and one of them sends a type with almost the same name. Types are compared exactly.',
  wrong: `start: {type: event, event: {type: order-created}}
states:
- id: tell
  type: generateEvent
  event: {type: order.created, source: shop}
`,
  right: `start: {type: event, event: {type: order.created}}
states:
- id: tell
  type: generateEvent
  event: {type: order.created, source: shop}
`,
  *check(workflow, folder) {
    const { sent, awaited } = eventTypes(workflow, folder);
    // A similar type that is awaited itself is another event.
    const others = [...sent].filter((one) => !awaited.has(one));
    for (const { node } of awaitedIn(workflow)) {
      const type = scalarText(node);
      const near = sent.has(type) ? undefined : closeType(type, others);
      if (near === undefined) continue;
      const mend = replaceName(workflow, node, { from: type, to: near });
      yield {
        at: node,
        message: `no workflow sends events of the type '${type}'`,
        hint: `did you mean '${near}'?`,
        ...(mend && { mend }),
      };
    }
  },
};

/** A type that differs in one or two characters only: types of the same application resemble each other. */
function closeType(type: string, sent: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[-_.\s]/g, '');
  const near = closestName(type, sent);
  if (near === undefined) return undefined;
  const isSame = plain(near) === plain(type);
  const isSwap = [...plain(near)].sort().join('') === [...plain(type)].sort().join('');
  return isSame || isSwap || Math.abs(near.length - type.length) === 1 ? near : undefined;
}
