import { waitingOf } from '../../compiler/plan/traits.ts';
import { cycles, exitsAfterSuccess } from '../document/graph.ts';
import type { StateView } from '../document/workflow.ts';
import type { Rule } from '../reports/rule.ts';

const waits = ({ plan }: StateView): boolean => plan === undefined || waitingOf(plan.work) === 'always';

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
      const ids = group.map(({ id }) => id);
      const [first] = group;
      const isLeft = group.some((state) =>
        exitsAfterSuccess(state).some((id) => id === undefined || !ids.includes(id)),
      );
      if (first === undefined || isLeft || group.some(waits)) continue;
      const { line, column } = first;
      const names = ids.map((id) => `'${id}'`).join(', ');
      yield {
        at: { line, column },
        message: `${group.length === 1 ? 'the state' : 'the states'} ${names} repeat without a wait, and no transition leaves them`,
        hint: 'add a switch that leaves the loop, and a delay',
      };
    }
  },
};
