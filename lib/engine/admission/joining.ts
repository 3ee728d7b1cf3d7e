import type { BatchPlan, DebouncePlan } from '../../compiler/plan/concurrency.ts';
import { durationMs } from '../../compiler/plan/execution.ts';
import type { Plan } from '../../compiler/plan/plan.ts';
import * as joins from '../../domain/concurrency/joins.ts';
import type { Group } from '../../domain/concurrency/places.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { Hold } from '../../domain/runs/waits.ts';
import { retryOnConflict } from '../../domain/storage/conflicts.ts';
import { SECOND_MS } from '../../time/units.ts';
import { dataProblem, sizeProblem } from '../evaluation/bounds.ts';
import type { DeliveryPorts } from '../ports.ts';
import { keyOf } from './groups.ts';
import { holdBack } from './holds.ts';
import { orProblem, refuse } from './refusals.ts';
import type { Admission } from './start-commits.ts';
import { inTurn } from './turns.ts';

/** The input of a run, and the data as which it was read. */
type Input = Pick<runs.Run, 'input' | 'data'>;

/** How starts join a run that is held back. */
export interface Joining {
  readonly by: Exclude<Hold['by'], 'rate'>;
  readonly keyOf: (run: runs.Run) => Promise<string>;
  /** When a run begins with so many starts, the first and the last of them at these times, milliseconds since 1970. */
  readonly untilOf: (first: number, last: number, starts: number) => number;
  /** The input of a run that a start joins; undefined: it cannot. */
  readonly merge: (held: runs.Run, run: runs.Run) => Input | undefined;
}

/** The wait of a state machine has no smaller unit. */
const wholeSecond = (ms: number): number => Math.ceil(ms / SECOND_MS) * SECOND_MS;

/** The last input counts. */
const byDebounce = ({ for: quiet, key, atMost }: DebouncePlan): Joining => ({
  by: 'debounce',
  keyOf: (run) => keyOf('debounce', key, run),
  untilOf(first, last) {
    const latest = first + (durationMs(atMost ?? '') ?? Number.POSITIVE_INFINITY);
    return wholeSecond(Math.min(last + (durationMs(quiet) ?? 0), latest));
  },
  merge: (_held, { input, data }) => ({ input, data }),
});

const eventsOf = ({ data }: runs.Run): readonly unknown[] => (data['events'] ?? []) as readonly unknown[];

/** The events of both, unless these are as many as may be, or are too large together. */
function mergeEvents(held: runs.Run, run: runs.Run, size: number): Input | undefined {
  const data = { events: [...eventsOf(held), ...eventsOf(run)] };
  const input = Buffer.from(JSON.stringify(data));
  const fits = data.events.length <= size && sizeProblem(input) === undefined && dataProblem(data) === undefined;
  return fits ? { input, data } : undefined;
}

/** All events count; the last one lets the run begin at once. */
const byBatch = ({ size, for: time, key }: BatchPlan): Joining => ({
  by: 'batch',
  keyOf: (run) => keyOf('start.batch', key, run, eventsOf(run)[0]),
  untilOf: (first, last, starts) => (starts >= size ? last : wholeSecond(first + (durationMs(time) ?? 0))),
  merge: (held, run) => mergeEvents(held, run, size),
});

/** How a run joins another one; undefined: it does not. A caller waits for a run of its own. */
export function joiningOf({ start, debounce }: Plan, { parent, invoker }: runs.Run): Joining | undefined {
  if (parent !== undefined) return undefined;
  if ('batch' in start && start.batch !== undefined && invoker === 'cloudevent') return byBatch(start.batch);
  return debounce && byDebounce(debounce);
}

/** Gives a run that is held back the input of a later start. Throws ConflictError if it has begun meanwhile. */
async function joinHeld(
  ports: DeliveryPorts,
  { untilOf, merge }: Joining,
  run: runs.Run,
  held: runs.Run & { readonly hold: Hold },
): Promise<Admission | undefined> {
  const { hold, created, id } = held;
  const merged = merge(held, run);
  if (merged === undefined) return undefined;
  const now = ports.clock.now();
  const starts = (hold.starts ?? 1) + 1;
  const postponed = { ...hold, until: untilOf(created, now, starts), first: hold.first ?? hold.until, starts };
  const next = { ...held, ...merged, hold: postponed, seq: held.seq + 1 };
  return { run: await runs.commit(ports, next, [joins.joinWrite(run.id, id, now)], 'queued'), verdict: 'known' };
}

/** Holds a run back, so that later starts join it. */
function open(
  ports: DeliveryPorts,
  { by, untilOf }: Joining,
  run: runs.Run,
  { known, group }: { readonly known: joins.Joins; readonly group: Group },
): Promise<Admission> {
  const now = ports.clock.now();
  const writes = [
    joins.joinWrite(run.id, run.id, now),
    joins.latestWrite(group, known, { id: run.id, version: ports.clock.uuid(), now }),
  ];
  const hold = { by, key: group.key, until: untilOf(run.created, now, 1) };
  return holdBack(ports, { run, writes, execution: undefined }, hold);
}

/**
 * Lets a start join the run of its key that is held back: that one is returned, as `known`. Without such a run, the run of this
 * start is held back for others. Idempotent: the same start joins once. Throws `malformed` for a request whose key cannot be
 * evaluated; any other start fails with `flow.refused`.
 */
export async function join(ports: DeliveryPorts, joining: Joining, run: runs.Run): Promise<Admission> {
  const valued = await orProblem(run, () => joining.keyOf(run));
  if ('problem' in valued) return refuse(ports, run, valued.problem);
  const group = { owner: run.workflowId, key: valued.value };
  const attempt = async (): Promise<Admission> => {
    const known = await joins.read(ports.table, group, run.id);
    const before = known.done && (await runs.find(ports, known.done));
    if (before) return { run: before, verdict: 'known' };
    const held = known.latest && (await runs.find(ports, known.latest.id));
    const { hold } = held ?? {};
    const isOpen = held !== undefined && runs.isQueued(held) && hold?.by === joining.by;
    const joined = isOpen ? await joinHeld(ports, joining, run, { ...held, hold }) : undefined;
    return joined ?? open(ports, joining, run, { known, group });
  };
  return inTurn(ports.table, `${group.owner} ${group.key}`, () => retryOnConflict(attempt));
}
