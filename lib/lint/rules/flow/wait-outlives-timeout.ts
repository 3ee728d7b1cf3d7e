import { longestWaitOf } from '../../../compiler/plan/traits.ts';
import { omitUndefined } from '../../../language/omit-undefined.ts';
import { reachable } from '../../document/graph.ts';
import { select } from '../../document/queries.ts';
import { lengthOf } from '../../document/spans.ts';
import type { StateView, Workflow } from '../../document/workflow.ts';
import { replaceScalar } from '../../mends/scalars.ts';
import { DEFAULT_INTERRUPT, longer, withTimeouts } from '../../mends/timeouts.ts';
import type { Report } from '../../reports/finding.ts';
import { nodeAt, type Rule } from '../../reports/rule.ts';

function reportState(workflow: Workflow, state: StateView): Report | undefined {
  const { interrupt } = workflow.timeouts;
  const { plan } = state;
  if (plan === undefined) return undefined;
  const wait = longestWaitOf(plan.work);
  const [length, limit] = [lengthOf(wait), lengthOf(interrupt ?? DEFAULT_INTERRUPT)];
  if (length === undefined || limit === undefined || length <= limit) return undefined;
  const isDelay = plan.work.do === 'sleep';
  const over =
    interrupt === undefined
      ? `a run is interrupted after ${DEFAULT_INTERRUPT}, the default`
      : `timeouts.interrupt is ${interrupt}`;
  const message = isDelay
    ? `the delay of ${wait} never ends: ${over}`
    : `the timeout of ${wait} is never reached: ${over}`;
  return {
    at: nodeAt(state, isDelay ? 'duration' : 'timeout'),
    message,
    hint: `set timeouts: {interrupt: ${longer(wait ?? '')}} to more than the whole run takes`,
    ...omitUndefined({ mend: withTimeouts(workflow, wait ?? '') }),
    severity: isDelay || plan.work.do === 'listen' || plan.work.do === 'listen-any' ? 'warning' : 'hint',
  };
}

export const waitOutlivesTimeout: Rule = {
  severity: 'warning',
  about:
    'A state waits longer than the run may last. Without `timeouts.interrupt` a run is interrupted after 15 minutes, with the code `service.cancels.timeout.soft`, whatever the timeout of the state is; `timeouts.kill` ends it.',
  wrong: `states:
- id: wait
  type: delay
  duration: P2D
`,
  right: `timeouts: {interrupt: P3D, kill: P4D}
states:
- id: wait
  type: delay
  duration: P2D
`,
  *check(workflow) {
    const { timeouts, root, states } = workflow;
    const [interrupt, kill] = [lengthOf(timeouts.interrupt), lengthOf(timeouts.kill)];
    const [killNode] = select(root, 'timeouts.kill');
    if (interrupt !== undefined && kill !== undefined && kill < interrupt && killNode !== undefined) {
      const message = `timeouts.kill (${timeouts.kill}) is shorter than timeouts.interrupt (${timeouts.interrupt}), which is never reached`;
      const mend = replaceScalar(workflow, killNode.node, longer(timeouts.interrupt ?? ''));
      yield { at: killNode.node, message, hint: 'make kill longer than interrupt', ...omitUndefined({ mend }) };
    }
    // After an error state the run counts as failed, and its timeouts do not apply any more.
    const raising = states.filter(({ plan }) => plan?.work.do === 'raise').map(({ id }) => id);
    const failed = reachable(workflow, raising);
    for (const state of states) {
      const report = failed.has(state.id) ? undefined : reportState(workflow, state);
      if (report !== undefined) yield report;
    }
  },
};
