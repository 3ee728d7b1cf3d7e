import type { Work } from '../../../compiler/plan/plan.ts';
import type { Position } from '../../../language/position.ts';
import { select } from '../../document/queries.ts';
import type { Workflow } from '../../document/workflow.ts';
import { lineEdit } from '../../mends/fields.ts';
import type { Mend } from '../../reports/finding.ts';
import type { Rule } from '../../reports/rule.ts';

const OF_APPROVAL = ['notify.retries', 'remind.action.retries', 'escalate.action.retries'];

/** The retries in a state that nothing waits for, and what would repeat the call. */
function unawaited(work: Work | undefined): { readonly paths: readonly string[]; readonly hint: string } | undefined {
  if (work?.do === 'call' && work.async) {
    return { paths: ['action.retries'], hint: 'remove async: true, or call a subflow whose own action has retries' };
  }
  if (work?.do !== 'approve') return undefined;
  return { paths: OF_APPROVAL, hint: 'use remind, which notifies again, or a subflow whose own action has retries' };
}

/** Removes retries that are written in a line of their own. */
function removal({ source }: Workflow, { line }: Position): Mend | undefined {
  const isAlone = /^\s*retries:\s*\{[^{}]*\}\s*$/.test(source.lineAt(line));
  return isAlone ? { title: "remove 'retries'", edits: [lineEdit(line)], isCertain: false } : undefined;
}

export const retryUnawaited: Rule = {
  severity: 'warning',
  about:
    'A call that nothing waits for has `retries`: an action with `async: true`, or a notification of an `approval`. It is made once.',
  wrong: `functions:
- {id: audit, type: subflow, workflow: audit}
states:
- id: note
  type: action
  async: true
  action: {function: audit, retries: {max_attempts: 3, codes: ['.*']}}
`,
  right: `functions:
- {id: audit, type: subflow, workflow: audit}
states:
- id: note
  type: action
  action: {function: audit, retries: {max_attempts: 3, codes: ['.*']}}
`,
  *check(workflow) {
    for (const { node, plan } of workflow.states) {
      const { paths, hint } = unawaited(plan?.work) ?? { paths: [], hint: '' };
      for (const retries of paths.flatMap((path) => select(node, path))) {
        const mend = removal(workflow, retries.node);
        yield {
          at: retries.node,
          message: 'retries have no effect: nothing waits for this call',
          hint,
          ...(mend && { mend }),
        };
      }
    }
  },
};
