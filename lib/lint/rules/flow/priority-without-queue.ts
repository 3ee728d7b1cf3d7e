import { select } from '../../document/queries.ts';
import type { Rule } from '../../reports/rule.ts';

export const priorityWithoutQueue: Rule = {
  severity: 'warning',
  about:
    'The workflow has a `priority`, which orders the runs that wait in its queue, and no queue: it has no `concurrency`, or one that does not queue runs.',
  wrong: `priority: jq(if .vip then 10 else 0 end)
states:
- id: greet
  type: noop
`,
  right: `concurrency: {limit: 3}
priority: jq(if .vip then 10 else 0 end)
states:
- id: greet
  type: noop
`,
  *check({ root }) {
    const [priority] = select(root, 'priority');
    if (priority === undefined) return;
    const [whenFull] = select(root, 'concurrency.whenFull');
    const isQueued = select(root, 'concurrency').length > 0 && (whenFull?.node.value ?? 'queue') === 'queue';
    if (isQueued) return;
    const message = 'priority has no effect: no run of this workflow waits in a queue';
    yield { at: priority.node, message, hint: 'add concurrency: {limit: 1}, or remove priority' };
  },
};
