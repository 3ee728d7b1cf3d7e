import * as candidates from '../../domain/events/candidates.ts';
import type { Namespace } from '../../domain/namespaces/namespaces.ts';
import * as runs from '../../domain/runs/runs.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import type { EnginePorts } from '../ports.ts';
import { APPROVAL_EVENT } from './decisions.ts';

/** An approval that waits for a decision, as lists show it. */
export interface ApprovalRecord {
  readonly instance: string;
  readonly workflow: string;
  readonly state: string;
  readonly subject: string;
  readonly text: string;
  readonly assignees: readonly string[];
  readonly since: string;
  /** When it ends without a decision. */
  readonly until: string;
  /** How many reminders were made. */
  readonly reminders: number;
  /** The calls of its `notify` and reminders that failed; absent: none. */
  readonly failures?: readonly { readonly instance: string; readonly code: string; readonly message: string }[];
}

/** Which approvals a list has; an empty text is no filter. */
export interface ApprovalFilter {
  /** The path of the workflow. */
  readonly workflow: string;
  /** A part of the name of an assignee, in any case. */
  readonly assignee: string;
}

const MAX_LISTED = 1000;

const isWanted = ({ workflow, assignees }: ApprovalRecord, filter: ApprovalFilter): boolean => {
  const name = filter.assignee.toLowerCase();
  const isOfWorkflow = filter.workflow === '' || workflow.replace(/^\//, '') === filter.workflow.replace(/^\//, '');
  return isOfWorkflow && (name === '' || assignees.some((one) => one.toLowerCase().includes(name)));
};

/** The approval of a run; undefined for a run that does not wait for a decision. */
export function toRecord(run: runs.Run | undefined): ApprovalRecord | undefined {
  const { wait } = run ?? {};
  const isOpen = run?.status === 'pending' && wait?.isWaiting && wait.listening?.received[0] === null;
  if (run === undefined || wait?.approval === undefined || !isOpen) return undefined;
  const { subject, text = '', assignees, reminded: reminders } = wait.approval;
  const { id: instance, path: workflow } = run;
  const [since, until] = [toTimestamp(wait.entered), toTimestamp(wait.until)];
  const own = run.unawaited?.filter(({ n }) => n === run.step) ?? [];
  const failures = own.map(({ id: call, code, message }) => ({ instance: call, code, message }));
  const record = { instance, workflow, state: wait.state, subject, text, assignees, since, until, reminders };
  return failures.length === 0 ? record : { ...record, failures };
}

/** The approvals of a namespace that wait for a decision, the oldest first; at most 1,000. */
export async function listOpen(
  ports: Pick<EnginePorts, 'table' | 'blobs'>,
  { id }: Pick<Namespace, 'id'>,
  filter: ApprovalFilter,
): Promise<ApprovalRecord[]> {
  const listeners = await candidates.someOfType(ports, id, APPROVAL_EVENT, MAX_LISTED);
  const found = await runs.findMany(ports, [...new Set(listeners.map(({ owner }) => owner))]);
  const records = found.flatMap((run) => toRecord(run) ?? []).filter((one) => isWanted(one, filter));
  return records.toSorted((a, b) => a.since.localeCompare(b.since));
}
