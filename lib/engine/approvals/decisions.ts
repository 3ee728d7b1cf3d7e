import type { ApproveWork } from '../../compiler/plan/plan.ts';
import * as runs from '../../domain/runs/runs.ts';
import { isFulfilled, type Listening, type OpenApproval, type Wait } from '../../domain/runs/waits.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { parseJson } from '../../language/json-numbers.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { findViolations } from '../evaluation/evaluation.ts';
import { onAccountOf } from '../evaluation/tenants.ts';
import { giveTo } from '../events/listening.ts';
import type { EnginePorts } from '../ports.ts';
import type { ListeningRun } from '../run/waiting-run.ts';
import { isSigned, type Link } from './links.ts';

/** The type of the event by which a decision reaches its run. No event of the bus decides an approval. */
export const APPROVAL_EVENT = 'weft.approval';

/** A decision, as it is in the data and in the record of the run. */
export interface Decision {
  readonly choice: string;
  /** The values of the form. */
  readonly form: Readonly<Record<string, unknown>>;
  /** The name that the decider gave. */
  readonly by: string;
  /** RFC 3339. */
  readonly at: string;
  /** The address of the request. */
  readonly from: string;
}

type Waiting = runs.Run & { readonly wait: Wait & { readonly approval: OpenApproval; readonly listening: Listening } };

/** An approval that waits for a decision. */
export interface Open {
  readonly run: Waiting;
  readonly work: ApproveWork;
}

/** An approval, and the choice that is made or offered. */
export interface Asked extends Open {
  readonly choice: string;
}

const isOpen = (run: runs.Run | undefined): run is Waiting =>
  run?.status === 'pending' &&
  run.wait?.isWaiting === true &&
  run.wait.approval !== undefined &&
  run.wait.listening !== undefined;

/** The work of the state at which a run waits for a decision. */
async function workOf(ports: EnginePorts, { workflowId, revision, wait }: Waiting): Promise<ApproveWork | undefined> {
  const plan = revisions.planOf(await revisions.need(ports, workflowId, revision));
  const work = Object.hasOwn(plan.states, wait.state) ? plan.states[wait.state]?.work : undefined;
  return work?.do === 'approve' ? work : undefined;
}

/** The approval that a run waits for; undefined if it waits for none. */
export async function openOf(ports: EnginePorts, run: runs.Run | undefined): Promise<Open | undefined> {
  if (!isOpen(run)) return undefined;
  const work = await workOf(ports, run);
  return work === undefined ? undefined : { run, work };
}

/** An approval with one of its choices; undefined for a choice that it does not have. */
export const askedOf = (open: Open, choice: string): Asked | undefined =>
  open.work.choices.some(({ name }) => name === choice) ? { ...open, choice } : undefined;

/** The approval of a link; undefined for a link that is not signed, and for an approval that is over. */
export async function openByLink(ports: EnginePorts, link: Link): Promise<Asked | undefined> {
  const run = await runs.find(ports, link.run);
  if (!isOpen(run) || !isSigned(link, run.wait.approval.key)) return undefined;
  const open = await openOf(ports, run);
  return open === undefined ? undefined : askedOf(open, link.choice);
}

const read = (text: string): Decision => (parseJson(text) as { readonly data: Decision }).data;

/** The decision that a wait has received. */
export function decisionOf({ received }: Listening): Decision | undefined {
  const text = received[0];
  return typeof text === 'string' ? read(text) : undefined;
}

/** Whether the approval is decided, and its run has not gone on yet. */
export const isDecided = ({ run }: Open): boolean => isFulfilled(run.wait.listening);

/** The outcome of a request to decide. */
export type Outcome =
  | { readonly kind: 'decided' }
  /** Another request decided before. */
  | { readonly kind: 'earlier'; readonly decision: Decision }
  /** The approval is over. */
  | { readonly kind: 'gone' }
  /** The values do not fit the form. */
  | { readonly kind: 'invalid'; readonly violations: readonly string[] };

/** A decision that was given to its run. */
export interface Taken {
  readonly outcome: Outcome;
  /** The run, if it waits there; the caller wakes it. */
  readonly run?: ListeningRun;
  /** This request gave the decision to the run. */
  readonly isFirst: boolean;
}

/** Gives a decision to the run that waits for it, if it is valid and the first one. */
export async function takeDecision(
  ports: EnginePorts,
  { run, work, choice }: Asked,
  { form, by, from }: Pick<Decision, 'form' | 'by' | 'from'>,
): Promise<Taken> {
  const { namespaceId: id, wait } = run;
  const violations = work.form === undefined ? [] : await onAccountOf({ id }, () => findViolations(work.form, form));
  if (violations.length > 0) return { outcome: { kind: 'invalid', violations }, isFirst: false };
  const decision: Decision = { choice, form, by, at: toTimestamp(ports.clock.now()), from };
  const source = `/instances/${run.id}`;
  const event = { specversion: '1.0', id: ports.clock.uuid(), source, type: APPROVAL_EVENT, data: decision } as const;
  const waiting = await giveTo(ports, { run: run.id, number: wait.number }, event);
  const text = waiting?.wait.listening.received[0];
  if (waiting === undefined || typeof text !== 'string') return { outcome: { kind: 'gone' }, isFirst: false };
  const first = read(text);
  const isSame = first.choice === choice && first.by === by && first.from === from;
  const outcome: Outcome = isSame ? { kind: 'decided' } : { kind: 'earlier', decision: first };
  return { outcome, run: waiting, isFirst: (parseJson(text) as { readonly id: string }).id === event.id };
}
