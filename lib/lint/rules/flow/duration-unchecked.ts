import { parseDuration } from '../../../time/durations.ts';
import { select } from '../../document/queries.ts';
import { durationFrom } from '../../document/spans.ts';
import { type Rule, replaceName } from '../../reports/rule.ts';

const PATHS = ['timeout', 'action.retries.delay'];

export const durationUnchecked: Rule = {
  severity: 'warning',
  about:
    'A duration that is checked only in a run is no ISO 8601 duration: the `timeout` of a `consumeEvent`, or the `delay` of retries in a `foreach`. It is ignored, and the default applies.',
  wrong: `states:
- id: wait
  type: consumeEvent
  timeout: 5m
  event: {type: approved}
`,
  right: `states:
- id: wait
  type: consumeEvent
  timeout: PT5M
  event: {type: approved}
`,
  *check(workflow) {
    for (const { node, plan } of workflow.states) {
      if (plan === undefined) continue;
      for (const { node: field } of PATHS.flatMap((path) => select(node, path))) {
        if (typeof field.value !== 'string' || field.value === '' || parseDuration(field.value) !== undefined) continue;
        const to = durationFrom(field.value);
        const mend =
          to === undefined ? undefined : replaceName(workflow, field, { from: field.value, to, isCertain: true });
        const hint = to === undefined ? 'write it like PT30S, PT15M or P1DT12H' : `did you mean '${to}'?`;
        yield {
          at: field,
          message: `'${field.value}' is no ISO 8601 duration and is ignored`,
          hint,
          ...(mend && { mend }),
        };
      }
    }
  },
};
