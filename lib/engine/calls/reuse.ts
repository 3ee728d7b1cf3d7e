import { isDeepStrictEqual } from 'node:util';
import { keepResult } from '../../domain/runs/call-results.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { CallingVisit, ReusedCalls } from '../../domain/runs/waits.ts';
import { ownMember } from '../../language/own-members.ts';
import { isSealed, openInput } from '../native/inputs.ts';
import type { RunnerPorts } from '../ports.ts';
import { childId } from '../run/child-ids.ts';
import type { StepUnit } from '../run/commit/step-unit.ts';
import { retryPolicyOf } from '../run/retry-decisions.ts';
import type { PreparedCall } from './callees/callee.ts';
import { elementsOf } from './elements.ts';

/** The calls that succeeded in runs which this one repeats, and that its first state need not make again. */
export class FinishedCalls {
  private readonly unit: StepUnit;
  private readonly reuse: ReusedCalls | undefined;
  private elementsBefore: Promise<readonly unknown[]> | undefined;

  constructor(unit: StepUnit) {
    this.unit = unit;
    this.reuse = unit.step > 1 ? undefined : unit.run.reuse;
  }

  /**
   * Returns the child of a call that succeeded; undefined for any other call. It must be the same call: of the same
   * function or workflow, with the same input. `data` is that over which the input was evaluated.
   */
  async find(call: PreparedCall, data: unknown): Promise<runs.Run | undefined> {
    const { reuse, unit } = this;
    if (reuse === undefined) return undefined;
    for (const visit of reuse.visits) {
      const child = await successOf(unit.ports, visit, call);
      if (child !== undefined && (await isSame(unit.ports, child, call))) return child;
    }
    return this.findUnstored(reuse, call, data);
  }

  /** A call whose result only the repeated run has, as a child that is not stored. */
  private async findUnstored(
    { results, before }: ReusedCalls,
    call: PreparedCall,
    data: unknown,
  ): Promise<runs.Run | undefined> {
    const { i } = call.key;
    if (!call.callee.isNative || results === undefined || !Object.hasOwn(results, i)) return undefined;
    if (before !== undefined && !isDeepStrictEqual(await this.seenBefore(before, i), data)) return undefined;
    const child = await call.callee.newChild(this.unit.ports, call);
    return { ...child, status: 'complete', data: keepResult(results[i]) };
  }

  /** The data over which a call of the repeated run was made: an element of it, or all of it. */
  private async seenBefore(before: unknown, i: number): Promise<unknown> {
    const work = ownMember(this.unit.tools.plan.states, this.unit.at)?.work;
    if (work?.do !== 'each') return before;
    this.elementsBefore ??= elementsOf(work, before);
    return (await this.elementsBefore)[i];
  }
}

/** The attempt of a call that succeeded at a visit. A first attempt in place is not stored, a later one may be. */
async function successOf(
  ports: RunnerPorts,
  visit: CallingVisit,
  { callee, key: { i } }: PreparedCall,
): Promise<runs.Run | undefined> {
  const attempts = callee.isNative ? (retryPolicyOf(callee.action)?.maxAttempts ?? 0) : Number.MAX_SAFE_INTEGER;
  for (let k = 0; k <= attempts; k += 1) {
    const child = await runs.find(ports, childId(visit, visit.origin, { i, k }));
    if (child?.status === 'complete') return child;
    if (child === undefined && !callee.isNative) return undefined;
  }
  return undefined;
}

/** Whether a child is the same call: of the same function or workflow, with the same input. */
async function isSame(ports: RunnerPorts, child: runs.Run, { callee, input }: PreparedCall): Promise<boolean> {
  if (!callee.isOf(child, input)) return false;
  const stored = isSealed(child) ? await openInput(ports, child) : child.input;
  return Buffer.from(stored).equals(input.input);
}
