import type { ApprovalRecord } from '../../../lib/engine/approvals/open-approvals.ts';
import { openNamespace } from '../client/service.ts';
import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import { defineVerbs, type Outcome, result, toTable, type ValuesOf } from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';
import { toInput } from './exec.ts';

const OPTIONS = {
  workflow: { type: 'string', value: 'PATH', help: 'only approvals of this workflow' },
  assignee: { type: 'string', value: 'TEXT', help: 'only approvals with an assignee whose name contains this text' },
  by: { type: 'string', value: 'NAME', help: 'who decides (default: the name of the key)' },
  ...NAMESPACE_OPTION,
  ...TARGET_OPTIONS,
} as const;

type Values = ValuesOf<typeof OPTIONS>;

interface Decided {
  readonly instance: string;
  readonly choice: string;
  readonly by: string;
}

const HEAD = ['SINCE', 'WORKFLOW', 'STATE', 'ASSIGNEES', 'SUBJECT', 'INSTANCE'];

const rowOf = ({ since, workflow, state, assignees, subject, instance }: ApprovalRecord): string[] => [
  since,
  workflow,
  state,
  assignees.join(', '),
  subject,
  instance,
];

async function list(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  const query = new URLSearchParams();
  for (const name of ['workflow', 'assignee'] as const) if (values[name] !== undefined) query.set(name, values[name]);
  const reply = await service.call('GET', `${base}/approvals?${query}`);
  const { approvals: all } = reply as { readonly approvals: readonly ApprovalRecord[] };
  return result(values, all, () => toTable([HEAD, ...all.map(rowOf)]));
}

async function decide(values: Values, args: readonly string[], terminal: Terminal): Promise<Outcome> {
  const [instance = '', choice = '', ...words] = args;
  const form = toInput(words);
  const { service, base } = await openNamespace(values, terminal);
  const path = `${base}/approvals/${encodeURIComponent(instance)}`;
  const by = values.by === undefined ? {} : { by: values.by };
  const decided = (await service.call('POST', path, { choice, form, ...by })) as Decided;
  return result(values, decided, () => `decided '${decided.choice}' for ${decided.instance} as ${decided.by}`);
}

export const approvals = defineVerbs({
  about: 'Lists the approvals that wait for a decision, the oldest first, and decides them',
  usage: [
    'approvals [list] [--workflow PATH] [--assignee TEXT]',
    'approvals decide INSTANCE CHOICE [NAME=TEXT | NAME:=JSON ...] [--by NAME]',
  ],
  notes: ['The values after the choice are those of the form of the approval. The first decision counts.'],
  options: OPTIONS,
  defaultVerb: 'list',
  verbs: {
    list: { takes: [], run: list },
    decide: { takes: ['INSTANCE', 'CHOICE', '[NAME=TEXT …]'], run: decide },
  },
});
