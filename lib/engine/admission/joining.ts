import type { DebouncePlan } from '../../compiler/plan/concurrency.ts';
import { durationMs } from '../../compiler/plan/execution.ts';
import * as joins from '../../domain/concurrency/joins.ts';
import type { Group } from '../../domain/concurrency/places.ts';
import * as runs from '../../domain/runs/runs.ts';
import { retryOnConflict } from '../../domain/storage/conflicts.ts';
import { SECOND_MS } from '../../time/units.ts';
import type { DeliveryPorts } from '../ports.ts';
import { keyOf } from './groups.ts';
import { holdBack } from './holds.ts';
import { orProblem, refuse } from './refusals.ts';
import type { Admission } from './start-commits.ts';
import { inTurn } from './turns.ts';

/** When a run begins that was started last at a time, and first at another, milliseconds since 1970. */
function untilOf({ for: quiet, atMost }: DebouncePlan, first: number, last: number): number {
  const latest = first + (durationMs(atMost ?? '') ?? Number.POSITIVE_INFINITY);
  const until = Math.min(last + (durationMs(quiet) ?? 0), latest);
  // The wait of a state machine has no smaller unit.
  return Math.ceil(until / SECOND_MS) * SECOND_MS;
}

/** The run that a start joins: it has not begun. */
async function findJoinable(ports: DeliveryPorts, { latest }: joins.Joins): Promise<runs.Run | undefined> {
  const found = latest && (await runs.find(ports, latest.id));
  return found !== undefined && runs.isQueued(found) && found.hold?.by === 'debounce' ? found : undefined;
}

/** Gives a run that is held back the input of a later start. Throws ConflictError if it has begun meanwhile. */
async function join(ports: DeliveryPorts, run: runs.Run, held: runs.Run, plan: DebouncePlan): Promise<Admission> {
  const now = ports.clock.now();
  const { hold } = held;
  if (hold === undefined) return { run: held, fate: 'known' };
  const until = untilOf(plan, held.created, now);
  const postponed = { ...hold, until, first: hold.first ?? hold.until, starts: (hold.starts ?? 1) + 1 };
  const next = { ...held, input: run.input, data: run.data, hold: postponed, seq: held.seq + 1 };
  const joined = await runs.commit(ports, next, [joins.joinWrite(run.id, held.id, now)], 'queued');
  return { run: joined, fate: 'known' };
}

/** Holds a run back, so that later starts join it. */
async function open(ports: DeliveryPorts, run: runs.Run, known: joins.Joins, { group, plan }: Debounced) {
  const now = ports.clock.now();
  const writes = [
    joins.joinWrite(run.id, run.id, now),
    joins.latestWrite(group, known, { id: run.id, version: ports.clock.uuid(), now }),
  ];
  const until = untilOf(plan, run.created, now);
  return holdBack(ports, { run, writes, execution: undefined }, { by: 'debounce', key: group.key, until });
}

interface Debounced {
  readonly group: Group;
  readonly plan: DebouncePlan;
}

/**
 * Holds a run back until no other start of its key has followed for a time, or lets its start join the run that is held back
 * already: that one is returned, as `known`, with the input of this start. Idempotent: the same start joins once. Throws
 * `malformed` for a request whose key cannot be evaluated; any other start fails with `flow.refused`.
 */
export async function debounce(ports: DeliveryPorts, plan: DebouncePlan, run: runs.Run): Promise<Admission> {
  const valued = await orProblem(run, () => keyOf({ debounce: plan }, 'debounce', run));
  if ('problem' in valued) return refuse(ports, run, valued.problem);
  const group = { workflowId: run.workflowId, key: valued.value };
  const attempt = async (): Promise<Admission> => {
    const known = await joins.read(ports.table, group, run.id);
    const before = known.done && (await runs.find(ports, known.done));
    if (before) return { run: before, fate: 'known' };
    const held = await findJoinable(ports, known);
    return held === undefined ? open(ports, run, known, { group, plan }) : join(ports, run, held, plan);
  };
  return inTurn(ports.table, `${group.workflowId} ${group.key}`, () => retryOnConflict(attempt));
}
