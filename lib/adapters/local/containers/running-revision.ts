import { toResult } from '../../../containers/session/answers.ts';
import { entriesOf } from '../../../containers/session/archives.ts';
import { failedResult } from '../../../containers/session/protocol.ts';
import { CANCELLED, LATE } from '../../../containers/sidecar/messages.ts';
import type { ContainerCall, ContainerResult, ContainerRevision, RevisionStatus } from '../../../ports/containers.ts';
import { CallQueue, MAX_QUEUED, QUEUE_FULL, type QueuedCall, timeoutAt } from './call-queue.ts';
import type { EngineRuntime } from './engine/provider.ts';
import { Pod, type PodPlan } from './pod.ts';

/** Timeouts of a revision, milliseconds. */
export interface RevisionTimeouts {
  /** From the start of a function until it must listen; 2 minutes if not given. */
  readonly listenMs: number;
  /** From the last call until the pods are stopped; 5 minutes if not given. */
  readonly idleMs: number;
  /** From the cancellation of a call until it is aborted; 10 seconds if not given. */
  readonly cancelMs: number;
}

/** The options of a running revision. */
export interface RunningRevisionOptions {
  readonly runtime: EngineRuntime;
  readonly revision: ContainerRevision;
  /** The id of its image in the engine. */
  readonly image: string;
  readonly timeouts: RevisionTimeouts;
}

const MAX_CALLS_OF_A_POD = 10;
const MAX_ENDED_PODS = 5;
/** The outcome of a call whose pod had ended before it, which the engine reports late. */
const UNRECEIVED = Symbol('unreceived');
const FIRST_RESTART_MS = 1_000;
const MAX_RESTART_MS = 60_000;

/** A revision whose image the engine has: starts and stops its pods, and distributes calls among them. */
export class RunningRevision {
  readonly #plan: PodPlan;
  readonly #timeouts: RevisionTimeouts;
  readonly #queue = new CallQueue();
  readonly #calls = new Map<string, Pod>();
  /** The problems of calls that are being aborted, by the id of their action. */
  readonly #problems = new Map<string, string>();
  #pods: Pod[] = [];
  /** The last pods that ended, whose output has the reason. */
  #ended: Pod[] = [];
  #failures = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  #restartTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ runtime, revision, image, timeouts }: RunningRevisionOptions) {
    this.#plan = { runtime, revision, image, listenMs: timeouts.listenMs };
    this.#timeouts = timeouts;
    this.#dispatch();
  }

  /** The pods, with the last failed one until another is up. */
  get pods(): RevisionStatus['pods'] {
    const last = this.#pods.some(({ isUp }) => isUp) ? [] : this.#ended.slice(-1);
    const shown = [...this.#pods, ...last.filter(({ status }) => status === 'Failed')];
    return shown.map(({ name, status }) => ({ name, status }));
  }

  /** The pod with that name, also one that has ended. */
  findPod(name: string): Pod | undefined {
    return [...this.#pods, ...this.#ended].find((pod) => pod.name === name);
  }

  /** Calls the revision as soon as a pod has capacity. A failure is part of the result. */
  async call(call: ContainerCall): Promise<ContainerResult> {
    const { actionId, deadline } = call;
    if (this.#isClosed) return failedResult('the service is being stopped');
    if (this.#calls.has(actionId)) return failedResult(`a call with the id '${actionId}' is already running`);
    if (this.#queue.length >= MAX_QUEUED) return failedResult(QUEUE_FULL);
    const result = this.#queue.add(call);
    const timer = timeoutAt(deadline, () => this.#abort(actionId, LATE));
    this.#dispatch();
    return result.finally(() => clearTimeout(timer));
  }

  /** Cancels a call, if there is one with this id. */
  cancel(actionId: string): void {
    this.#abort(actionId, CANCELLED);
  }

  /** Removes all pods at once. Calls in progress and in the queue fail with the problem. */
  async close(problem: string): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    clearTimeout(this.#restartTimer);
    this.#queue.failAll(problem);
    for (const actionId of this.#calls.keys()) this.#problems.set(actionId, problem);
    await Promise.all(this.#pods.map((pod) => pod.stop(false)));
  }

  #abort(actionId: string, problem: string): void {
    this.#queue.withdraw(actionId)?.settle(failedResult(problem));
    const pod = this.#calls.get(actionId);
    if (pod === undefined) return;
    this.#problems.set(actionId, problem);
    pod.cancel(actionId, this.#timeouts.cancelMs);
  }

  /** Assigns queued calls to pods, and starts the pods that are needed. */
  #dispatch(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#idleTimer);
    for (let pod = this.#leastLoaded(); pod !== undefined; pod = this.#leastLoaded()) {
      const next = this.#queue.take();
      if (next === undefined) break;
      void this.#assign(pod, next);
    }
    const isBusy = this.#queue.length > 0 || this.#calls.size > 0;
    const { minScale } = this.#plan.revision;
    // Calls do not wait for the delay after a failure. They fail if the pod fails again.
    const wanted = this.#restartTimer === undefined || isBusy ? Math.max(minScale, isBusy ? 1 : 0) : 0;
    while (this.#pods.length < wanted) this.#addPod();
    if (isBusy || this.#pods.length <= minScale) return;
    this.#idleTimer = setTimeout(() => this.#scaleDown(), this.#timeouts.idleMs);
    this.#idleTimer.unref();
  }

  #leastLoaded(): Pod | undefined {
    const available = this.#pods.filter(({ isUp, load }) => isUp && load < MAX_CALLS_OF_A_POD);
    return available.toSorted((a, b) => a.load - b.load)[0];
  }

  async #assign(pod: Pod, queued: QueuedCall): Promise<void> {
    const { call, settle } = queued;
    pod.load += 1;
    this.#calls.set(call.actionId, pod);
    const result = await this.#run(pod, queued).catch((error: unknown) =>
      failedResult(error instanceof Error ? error.message : String(error)),
    );
    pod.load -= 1;
    this.#calls.delete(call.actionId);
    this.#problems.delete(call.actionId);
    if (result === UNRECEIVED) this.#queue.putBack(queued);
    else settle(result);
    this.#dispatch();
  }

  /** Runs a call in a pod. UNRECEIVED: the pod had ended before the call, and another one can run it. */
  async #run(pod: Pod, { call, isRepeated }: QueuedCall): Promise<ContainerResult | typeof UNRECEIVED> {
    const entries = await entriesOf(call.files);
    const early = this.#problems.get(call.actionId);
    if (early !== undefined) return failedResult(early);
    const outcome = await pod.call(call, entries);
    if (outcome.answered.status > 0) this.#failures = 0;
    const problem = outcome.answered.problem === '' ? undefined : this.#problems.get(call.actionId);
    // Once: a function may end after each start as soon as it listens.
    const mayRepeat = !isRepeated && !this.#isClosed && problem === undefined;
    if (mayRepeat && !pod.isUp && outcome.answered.isRefused === true) return UNRECEIVED;
    return toResult(problem === undefined ? outcome : { ...outcome, answered: { ...outcome.answered, problem } });
  }

  #addPod(): void {
    clearTimeout(this.#restartTimer);
    this.#restartTimer = undefined;
    const pod = new Pod(this.#plan);
    this.#pods.push(pod);
    void this.#supervise(pod);
  }

  /** Starts a pod. When it fails, or ends by itself, it is removed and another is started after a growing delay. */
  async #supervise(pod: Pod): Promise<void> {
    try {
      await pod.start();
      this.#dispatch();
      await pod.lost;
    } catch (error) {
      if (!this.#pods.some(({ isUp }) => isUp))
        this.#queue.failAll(error instanceof Error ? error.message : String(error));
    }
    if (this.#isClosed || !this.#pods.includes(pod)) return;
    this.#failures += 1;
    await this.#end(pod, false);
    const delay = Math.min(MAX_RESTART_MS, FIRST_RESTART_MS * 2 ** (this.#failures - 1));
    this.#restartTimer = setTimeout(() => {
      this.#restartTimer = undefined;
      this.#dispatch();
    }, delay);
    this.#restartTimer.unref();
    this.#dispatch();
  }

  #scaleDown(): void {
    const { minScale } = this.#plan.revision;
    for (const pod of this.#pods.slice(minScale)) void this.#end(pod, true);
  }

  async #end(pod: Pod, isGraceful: boolean): Promise<void> {
    this.#pods = this.#pods.filter((other) => other !== pod);
    this.#ended = [...this.#ended, pod].slice(-MAX_ENDED_PODS);
    await pod.stop(isGraceful);
  }
}
