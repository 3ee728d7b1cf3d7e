import type { RatePlan } from '../../compiler/plan/concurrency.ts';
import { MAX_PART_DAYS } from '../../compiler/plan/execution.ts';
import type { NextStart } from '../../domain/concurrency/rates.ts';
import type * as runs from '../../domain/runs/runs.ts';
import type { Hold } from '../../domain/runs/waits.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { DAY_MS, SECOND_MS } from '../../time/units.ts';
import { heldExecution } from '../machines/call-machines.ts';
import { startExecution } from '../machines/executions.ts';
import type { DeliveryPorts } from '../ports.ts';
import { ownerName, reject } from './refusals.ts';
import { type Admission, commitStart, type Start } from './start-commits.ts';

/** Stores a run as queued until a time, at which its execution lets it begin. One that has such an execution keeps it. */
export async function holdBack(ports: DeliveryPorts, start: Start, until: Hold): Promise<Admission> {
  const { run } = start;
  const execution = run.machine === '' ? await heldExecution(ports, run) : {};
  const hold = run.hold === undefined ? until : { first: run.hold.until, ...run.hold, ...until };
  const held = await commitStart(ports, start, {
    next: { ...run, ...execution, queued: true, hold },
    verdict: 'notAdmitted',
  });
  if (held.verdict === 'notAdmitted' && run.machine === '') await startExecution(ports, held.run);
  return held;
}

/** No run is held back for longer: an execution lasts a year at most. */
const MAX_HOLD_MS = MAX_PART_DAYS * DAY_MS;

/** What becomes of a run whose workflow has no start left in this period. */
export function onOverRate(
  ports: DeliveryPorts,
  run: runs.Run,
  { limit, per, whenFull }: RatePlan,
  { key, next }: { readonly key: string; readonly next: NextStart },
): Promise<Admission> {
  const { at, last, write } = next;
  const left = at - ports.clock.now();
  if (whenFull === 'queue' && left <= MAX_HOLD_MS) {
    return holdBack(ports, { run, writes: [write], execution: undefined }, { by: 'rate', key, until: at });
  }
  const ofKey = key === '' ? '' : ` for the key '${key}'`;
  const message = `${ownerName(run)} has no start left${ofKey} (${limit} in ${per}) before ${toTimestamp(at)}`;
  const full = { message, holders: last === undefined ? [] : [last], retryAfter: Math.ceil(left / SECOND_MS) };
  return reject(ports, run, full, whenFull === 'skip');
}
