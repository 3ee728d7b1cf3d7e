import type { ApprovalRecord } from '../../../lib/engine/approvals/open-approvals.ts';
import { openNamespace } from '../client/service.ts';
import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import { defineCommand, needArguments, result, toTable } from '../shell/command.ts';

const OPTIONS = {
  workflow: { type: 'string', value: 'PATH', help: 'only approvals of this workflow' },
  assignee: { type: 'string', value: 'TEXT', help: 'only approvals with an assignee whose name contains this text' },
  ...NAMESPACE_OPTION,
  ...TARGET_OPTIONS,
} as const;

const HEAD = ['SINCE', 'WORKFLOW', 'STATE', 'ASSIGNEES', 'SUBJECT', 'INSTANCE'];

const rowOf = ({ since, workflow, state, assignees, subject, instance }: ApprovalRecord): string[] => [
  since,
  workflow,
  state,
  assignees.join(', '),
  subject,
  instance,
];

export const approvals = defineCommand({
  about: 'Lists the approvals that wait for a decision, the oldest first',
  usage: ['approvals [--workflow PATH] [--assignee TEXT]'],
  options: OPTIONS,
  run: async (values, args, terminal) => {
    needArguments('approvals', [], args);
    const { service, base } = await openNamespace(values, terminal);
    const query = new URLSearchParams();
    for (const name of ['workflow', 'assignee'] as const) if (values[name] !== undefined) query.set(name, values[name]);
    const reply = await service.call('GET', `${base}/approvals?${query}`);
    const { approvals: all } = reply as { readonly approvals: readonly ApprovalRecord[] };
    return result(values, all, () => toTable([HEAD, ...all.map(rowOf)]));
  },
});
