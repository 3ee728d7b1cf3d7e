import { type CalleeKind, callsStoredService } from '../../compiler/plan/execution.ts';
import type { ActionPlan } from '../../compiler/plan/plan.ts';
import type * as runs from '../../domain/runs/runs.ts';
import { StateError } from '../evaluation/failures.ts';
import type { StepUnit } from '../run/commit/step-unit.ts';
import type { Callee, Caller } from './callees/callee.ts';
import { calleeKindFor, openCallee } from './callees/index.ts';
import type { CallList } from './list.ts';
import { FinishedCalls } from './reuse.ts';

/** The most calls that are made within a request that does not wait for its run. */
const MAX_BRIEF_CALLS = 8;

/** A call that was begun: its child, ended or pending. */
export interface Begun {
  readonly child: runs.Run;
  /** It was not made: it succeeded in a run that this one repeats. */
  readonly isReused: boolean;
}

/** A callee that cannot be opened is the failure of its call. */
function ignoreStateError(error: unknown): undefined {
  if (!(error instanceof StateError)) throw error;
}

/** Begins the calls of a state. */
export class CallStarter {
  private readonly unit: StepUnit;
  private readonly list: CallList;
  private readonly caller: Caller;
  private readonly finished: FinishedCalls;
  private readonly callees = new Map<ActionPlan, Promise<Callee>>();

  constructor(unit: StepUnit, list: CallList, caller: Caller) {
    this.unit = unit;
    this.list = list;
    this.caller = caller;
    this.finished = new FinishedCalls(unit);
  }

  /**
   * Begins call `i`: runs its child in place if that may end without waiting, else stores it for the machine to call.
   * `signal` aborts the call of a native function, whose child stays pending then.
   */
  async begin(i: number, signal: AbortSignal): Promise<Begun> {
    const { action, data } = this.list.callAt(i);
    const callee = await this.calleeOf(action);
    const input = await callee.prepare(data, this.unit.tools.readSecrets);
    const call = { callee, caller: this.caller, key: { i, k: 0 }, input };
    const finished = this.list.mode === 'or' ? undefined : await this.finished.find(call, data);
    if (finished !== undefined) return { child: finished, isReused: true };
    const child = await callee.newChild(this.unit.ports, call);
    return { child: await callee.begin(this.unit, child, input, signal), isReused: false };
  }

  /** The kind of an action's callee: for a service of the namespace or of the installation, as it is stored now. */
  async kindOf(action: ActionPlan): Promise<CalleeKind | undefined> {
    const { run, tools } = this.unit;
    const planned = calleeKindFor(run, tools.plan, action);
    if (!callsStoredService(tools.plan, action)) return planned;
    const callee = await this.calleeOf(action).catch(ignoreStateError);
    return callee?.isNative === true ? 'native' : planned;
  }

  /** Whether the calls of the state may take long: they are many, send requests, or make calls themselves. */
  async takesLong(): Promise<boolean> {
    if (this.list.total > MAX_BRIEF_CALLS) return true;
    for (const action of this.list.actions) {
      const callee = await this.calleeOf(action).catch(ignoreStateError);
      if (callee?.takesLong === true) return true;
    }
    return false;
  }

  /** Many calls of one action open its callee once. */
  private calleeOf(action: ActionPlan): Promise<Callee> {
    const { ports, caller, tools } = this.unit;
    const known = this.callees.get(action) ?? openCallee(ports, caller, tools.plan, action);
    this.callees.set(action, known);
    return known;
  }
}
