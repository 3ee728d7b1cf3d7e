import { omitUndefined } from '../../../language/omit-undefined.ts';
import { select } from '../../document/queries.ts';
import { lengthOf } from '../../document/spans.ts';
import { DEFAULT_INTERRUPT, longer, withTimeouts } from '../../mends/timeouts.ts';
import type { Rule } from '../../reports/rule.ts';

export const expectedNeverLate: Rule = {
  severity: 'warning',
  about:
    'A run is interrupted before it can be late: `expected.within` is not shorter than `timeouts.interrupt`, which is 15 minutes by default.',
  wrong: `expected: {within: PT1H}
states:
- id: greet
  type: noop
`,
  right: `timeouts: {interrupt: PT2H}
expected: {within: PT1H}
states:
- id: greet
  type: noop
`,
  *check(workflow) {
    const { root, timeouts } = workflow;
    const { interrupt } = timeouts;
    const [within] = select(root, 'expected.within');
    const value = within?.node.value;
    const text = typeof value === 'string' ? value : '';
    const [length, limit] = [lengthOf(text), lengthOf(interrupt ?? DEFAULT_INTERRUPT)];
    if (within === undefined || length === undefined || limit === undefined || length < limit) return;
    const over =
      interrupt === undefined
        ? `a run is interrupted after ${DEFAULT_INTERRUPT}, the default`
        : `timeouts.interrupt is ${interrupt}`;
    const hint = `set timeouts: {interrupt: ${longer(text)}}, or expect less`;
    const mend = withTimeouts(workflow, text);
    yield { at: within.node, message: `no run is late after ${text}: ${over}`, hint, ...omitUndefined({ mend }) };
  },
};
