import { type CalleeKind, callsStoredService, mayRunInPlace } from '../../compiler/plan/execution.ts';
import type { ActionPlan } from '../../compiler/plan/plan.ts';
import { actionsOf } from '../../compiler/plan/traits.ts';
import type * as runs from '../../domain/runs/runs.ts';
import { readFiles } from '../containers/files.ts';
import { StateError } from '../evaluation/failures.ts';
import { callInPlace, isNative } from '../native/serving.ts';
import type { StepUnit } from '../run/commit/step-unit.ts';
import { type Callee, calleeKindFor, openCallee } from './callees.ts';
import { type Call, type Caller, newChild, storeChild } from './children.ts';
import { evaluateCallInput } from './inputs.ts';
import type { CallList } from './list.ts';
import { FinishedCalls } from './reuse.ts';

/** A child that is begun in place has at least this long, however close the end of its caller's batch is. */
const MIN_CHILD_MS = 1000;
/** So many calls are made within a request that does not wait for its run, at most. */
const MAX_BRIEF_CALLS = 8;
/** A native function that may take longer is called by the machine: a step commits within the lease of its run. */
const MAX_NATIVE_MS = 30_000;

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
    const input = await evaluateCallInput(callee, data, this.unit.tools.readSecrets);
    const call = { callee, caller: this.caller, key: { i, k: 0 }, input };
    const finished = this.list.mode === 'or' ? undefined : await this.finished.find(call, data);
    if (finished !== undefined) return { child: finished, isReused: true };
    return { child: await this.make(call, signal), isReused: false };
  }

  private async make(call: Call, signal: AbortSignal): Promise<runs.Run> {
    const { ports, tools } = this.unit;
    const { callee, input } = call;
    const child = await newChild(ports, call);
    if (isNative(child) && (input.ms ?? 0) <= MAX_NATIVE_MS) {
      return callInPlace(ports, child, { signal, readFiles: () => readFiles(ports, child, child.service) });
    }
    // A worker gets the task when the machine offers it: the changes that it depends on are committed by then.
    if (callee.kind === 'worker') return child;
    if (callee.kind !== 'subflow') return storeChild(ports, child);
    const { revision } = callee.opened;
    if (revision.plan === undefined || !mayRunInPlace(revision.plan)) return storeChild(ports, child);
    return tools.runInPlace(child, revision, Math.max(tools.until, ports.clock.now() + MIN_CHILD_MS));
  }

  /** The kind of an action's callee: for a service of the namespace or of the installation, as it is stored now. */
  async kindOf(action: ActionPlan): Promise<CalleeKind | undefined> {
    const { run, tools } = this.unit;
    const planned = calleeKindFor(run, tools.plan, action);
    if (!callsStoredService(tools.plan, action)) return planned;
    const callee = await this.calleeOf(action).catch(ignoreStateError);
    return callee?.kind === 'native' ? 'native' : planned;
  }

  /** Whether the calls of the state may take long: they are many, send requests, or make calls themselves. */
  async takesLong(): Promise<boolean> {
    if (this.list.total > MAX_BRIEF_CALLS) return true;
    for (const action of this.list.actions) {
      const callee = await this.calleeOf(action).catch(ignoreStateError);
      if (callee?.kind === 'native' && callee.isBrief !== true) return true;
      const plan = callee?.kind === 'subflow' ? callee.opened.revision.plan : undefined;
      const runsHere = plan !== undefined && mayRunInPlace(plan);
      if (runsHere && Object.values(plan.states).some(({ work }) => actionsOf(work).length > 0)) return true;
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
