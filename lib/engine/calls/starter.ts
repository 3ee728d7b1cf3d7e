import { mayRunInPlace } from '../../compiler/plan/execution.ts';
import type { ActionPlan } from '../../compiler/plan/plan.ts';
import type * as runs from '../../domain/runs/runs.ts';
import { callInPlace, isNative } from '../native/serving.ts';
import type { StepUnit } from '../run/step-unit.ts';
import { type Callee, openCallee } from './callees.ts';
import { type Caller, newChild, storeChild } from './children.ts';
import { evaluateCallInput } from './inputs.ts';
import type { CallList } from './list.ts';

/** A child that is begun in place has at least this long, however close the end of its caller's batch is. */
const MIN_CHILD_MS = 1000;
/** A native function that may take longer is called by the machine: a step commits within the lease of its run. */
const MAX_NATIVE_MS = 30_000;

/** Begins the calls of a state. */
export class CallStarter {
  private readonly unit: StepUnit;
  private readonly list: CallList;
  private readonly caller: Caller;
  private readonly callees = new Map<ActionPlan, Promise<Callee>>();

  constructor(unit: StepUnit, list: CallList, caller: Caller) {
    this.unit = unit;
    this.list = list;
    this.caller = caller;
  }

  /**
   * Begins call `i`: runs its child in place if that may end without waiting, else stores it for the machine to call.
   * Returns the child, ended or pending. `signal` aborts the call of a native function, whose child stays pending then.
   */
  async begin(i: number, signal: AbortSignal): Promise<runs.Run> {
    const { ports, tools } = this.unit;
    const { action, data } = this.list.callAt(i);
    const callee = await this.calleeOf(action);
    const input = await evaluateCallInput(callee, data, tools.readSecrets);
    const child = await newChild(ports, { callee, caller: this.caller, key: { i, k: 0 }, input });
    if (isNative(child) && (input.ms ?? 0) <= MAX_NATIVE_MS) return callInPlace(ports, child, signal);
    // A worker gets the task when the machine offers it: what it depends on is committed by then.
    if (callee.kind === 'worker') return child;
    if (callee.kind !== 'subflow') return storeChild(ports, child);
    const { revision } = callee.opened;
    if (revision.plan === undefined || !mayRunInPlace(revision.plan)) return storeChild(ports, child);
    return tools.runInPlace(child, revision, Math.max(tools.until, ports.clock.now() + MIN_CHILD_MS));
  }

  /** Many calls of one action open its callee once. */
  private calleeOf(action: ActionPlan): Promise<Callee> {
    const { ports, caller, tools } = this.unit;
    const known = this.callees.get(action) ?? openCallee(ports, caller, tools.plan, action);
    this.callees.set(action, known);
    return known;
  }
}
