import { waitingOf } from '../../../compiler/plan/traits.ts';
import { omitUndefined } from '../../../language/omit-undefined.ts';
import { cycles, exitsAfterSuccess } from '../../document/graph.ts';
import type { StateView, Workflow } from '../../document/workflow.ts';
import type { Mend } from '../../reports/finding.ts';
import type { Rule } from '../../reports/rule.ts';

const waits = ({ plan }: StateView): boolean => plan === undefined || waitingOf(plan.work) === 'always';

/** Adds a delay on the way back to the first state of a loop. */
function withDelay({ source, states }: Workflow, group: readonly StateView[]): Mend | undefined {
  const first = group[0]?.id ?? '';
  const back = group.at(-1)?.targets.find(({ name }) => name === first);
  const last = states.at(-1);
  const id = `wait-for-${first}`;
  const begin = back === undefined ? 0 : source.offsetOf(back);
  const at = [begin, begin + 1].find((one) => source.text.startsWith(first, one));
  if (last === undefined || back === undefined || at === undefined || states.some((one) => one.id === id))
    return undefined;
  const top = states[0]?.line ?? 1;
  // The list of states is written with a dash a state, and is the last part of the text.
  const dash = /^(\s*)- /.exec(source.lineAt(top));
  const rest = source.text.slice(source.offsetOf({ line: last.line + 1, column: 1 }));
  if (dash === null || /^[^\s#]/m.test(rest.replace(/^- /gm, '  ')) || /^---|^\.\.\./m.test(rest)) return undefined;
  const end = source.at(source.text.length);
  const separator = source.text.endsWith('\n') ? '' : '\n';
  const text = `${separator}${dash[1]}- {id: ${id}, type: delay, duration: PT10S, transition: ${first}}\n`;
  const edits = [
    { from: source.at(at), to: source.at(at + first.length), text: id },
    { from: end, to: end, text },
  ];
  return { title: 'wait 10 seconds before the loop repeats', edits, isCertain: false };
}

/** States of a loop that a message names. */
const MAX_NAMED = 20;

export const loopWithoutWait: Rule = {
  severity: 'warning',
  about:
    'States repeat each other, no transition leaves them, and none of them waits for time or events. The run repeats them as fast as it can until `timeouts.interrupt` is over.',
  wrong: `states:
- id: poll
  type: getter
  variables:
  - {key: ready, scope: workflow}
  transition: again
- id: again
  type: noop
  transition: poll
`,
  right: `states:
- id: poll
  type: getter
  variables:
  - {key: ready, scope: workflow}
  transition: ready
- id: ready
  type: switch
  conditions:
  - condition: jq(.var.ready == true)
  defaultTransition: again
- id: again
  type: delay
  duration: PT10S
  transition: poll
`,
  *check(workflow) {
    for (const group of cycles(workflow)) {
      const ids = new Set(group.map(({ id }) => id));
      const [first] = group;
      const isLeft = group.some((state) => exitsAfterSuccess(state).some((id) => id === undefined || !ids.has(id)));
      if (first === undefined || isLeft || group.some(waits)) continue;
      const { line, column } = first;
      const shown = [...ids].slice(0, MAX_NAMED).map((id) => `'${id}'`);
      const names = [...shown, ...(ids.size > MAX_NAMED ? ['…'] : [])].join(', ');
      yield {
        at: { line, column },
        message: `${group.length === 1 ? 'the state' : 'the states'} ${names} ${group.length === 1 ? 'repeats itself' : 'repeat'} without a wait, and no transition leaves them`,
        hint: 'add a switch that leaves the loop, and a delay',
        ...omitUndefined({ mend: withDelay(workflow, group) }),
      };
    }
  },
};
