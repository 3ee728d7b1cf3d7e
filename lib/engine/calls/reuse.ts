import { keepResult } from '../../domain/runs/container-calls.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { CallingVisit, ReusedCalls } from '../../domain/runs/waits.ts';
import { openInput } from '../native/inputs.ts';
import type { RunnerPorts } from '../ports.ts';
import type { StepUnit } from '../run/step-unit.ts';
import type { Callee } from './callees.ts';
import { type Call, childId, newChild } from './children.ts';
import { retryPolicyOf } from './retry-decisions.ts';

/**
 * Returns a call that succeeded in a run which this one repeats, as its child, so that it need not be made again;
 * undefined for any other call. It must be the same call: of the same function or workflow, with the same input.
 */
export async function finishedBefore(unit: StepUnit, call: Call): Promise<runs.Run | undefined> {
  const { reuse } = unit.run;
  if (reuse === undefined || unit.step > 1) return undefined;
  for (const visit of reuse.visits) {
    const child = await successOf(unit.ports, visit, call);
    if (child !== undefined && (await isSame(unit.ports, child, call))) return child;
  }
  return unstoredResult(unit, reuse, call);
}

/** The attempt of a call that succeeded at a visit. A first attempt in place is not stored, a later one may be. */
async function successOf(
  ports: RunnerPorts,
  visit: CallingVisit,
  { callee, key: { i } }: Call,
): Promise<runs.Run | undefined> {
  const attempts =
    callee.kind === 'native' ? (retryPolicyOf(callee.action)?.maxAttempts ?? 0) : Number.MAX_SAFE_INTEGER;
  for (let k = 0; k <= attempts; k += 1) {
    const child = await runs.find(ports, childId(visit, visit.origin, { i, k }));
    if (child?.status === 'complete') return child;
    if (child === undefined && callee.kind !== 'native') return undefined;
  }
  return undefined;
}

type Kind = Callee['kind'];
type CallOf<K extends Kind> = Call & { readonly callee: Extract<Callee, { readonly kind: K }> };

/** Whether a child is of the function or workflow that a call means. The image of a container may be another one by now. */
const IS_OF: { readonly [K in Kind]: (child: runs.Run, call: CallOf<K>) => boolean } = {
  subflow: ({ service, path }, { callee }) => service === undefined && path === callee.opened.node.path,
  service: ({ service }) => service !== undefined && service.native === undefined && service.worker === undefined,
  native: ({ service }, { callee }) => service?.native?.function === callee.function,
  worker: ({ service }, { input }) => service?.worker !== undefined && service.worker.queue === input.task?.queue,
};

async function isSame(ports: RunnerPorts, child: runs.Run, call: Call): Promise<boolean> {
  const isOf = IS_OF[call.callee.kind] as (child: runs.Run, call: Call) => boolean;
  if (!isOf(child, call)) return false;
  const isSealed = child.service?.native !== undefined || child.service?.worker !== undefined;
  const input = isSealed ? await openInput(ports, child) : child.input;
  return Buffer.from(input).equals(call.input.input);
}

/** A call whose result only the repeated run has, as a child that is not stored. */
async function unstoredResult(unit: StepUnit, { results }: ReusedCalls, call: Call): Promise<runs.Run | undefined> {
  const { i } = call.key;
  if (call.callee.kind !== 'native' || results === undefined || !Object.hasOwn(results, i)) return undefined;
  const child = await newChild(unit.ports, call);
  return { ...child, status: 'complete', data: keepResult(results[i]) };
}
