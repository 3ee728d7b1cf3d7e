import { toResult } from '../../../containers/session/answers.ts';
import { entriesOf } from '../../../containers/session/archives.ts';
import { failedResult } from '../../../containers/session/protocol.ts';
import { CANCELLED, LATE } from '../../../containers/sidecar/messages.ts';
import type { ContainerCall, ContainerResult, ContainerRevision, RevisionStatus } from '../../../ports/containers.ts';
import { CallQueue, MOST_WAITING, TOO_MANY, timeoutAt, type Waiting } from './call-queue.ts';
import { Pod } from './pod.ts';
import type { Workplace } from './workplace.ts';

/** How long things may take, milliseconds. */
export interface Patience {
  /** Until a started function listens; 2 minutes if not given. */
  readonly listenMs: number;
  /** Until a revision that nobody calls is stopped; 5 minutes if not given. */
  readonly idleMs: number;
  /** From the cancellation of a call until it is broken off; 10 seconds if not given. */
  readonly cancelMs: number;
}

const MOST_CALLS_OF_A_POD = 10;
const MOST_ENDED_PODS = 5;
const FIRST_RESTART_MS = 1_000;
const LONGEST_RESTART_MS = 60_000;

/** A revision whose image is here: it starts and stops pods and hands them the calls. */
export class RunningRevision {
  readonly #plan: ConstructorParameters<typeof Pod>[0];
  readonly #patience: Patience;
  readonly #queue = new CallQueue();
  readonly #calls = new Map<string, Pod>();
  /** Why running calls are broken off. */
  readonly #reasons = new Map<string, string>();
  #pods: Pod[] = [];
  /** The newest of those that are no more: what they wrote tells why. */
  #ended: Pod[] = [];
  #failures = 0;
  #idle: NodeJS.Timeout | undefined;
  #restart: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(workplace: Workplace, revision: ContainerRevision, image: string, patience: Patience) {
    this.#plan = { workplace, revision, image, listenMs: patience.listenMs };
    this.#patience = patience;
    this.#pump();
  }

  /** A pod that failed is shown until another runs in its place. */
  get pods(): RevisionStatus['pods'] {
    const failed = this.#pods.some(({ isUp }) => isUp) ? [] : this.#ended.slice(-1);
    return [...this.#pods, ...failed.filter(({ status }) => status === 'Failed')].map(({ name, status }) => ({
      name,
      status,
    }));
  }

  find(pod: string): Pod | undefined {
    return [...this.#pods, ...this.#ended].find(({ name }) => name === pod);
  }

  async call(call: ContainerCall): Promise<ContainerResult> {
    const { actionId, deadline } = call;
    if (this.#isClosed) return failedResult('the service is being stopped');
    if (this.#calls.has(actionId)) return failedResult(`a call with the id '${actionId}' is already running`);
    if (this.#queue.length >= MOST_WAITING) return failedResult(TOO_MANY);
    const result = this.#queue.add(call);
    const late = timeoutAt(deadline, () => this.#breakOff(actionId, LATE));
    this.#pump();
    return result.finally(() => clearTimeout(late));
  }

  cancel(actionId: string): void {
    this.#breakOff(actionId, CANCELLED);
  }

  /** Whoever waits is told why; gracefully: the functions may end by themselves first. */
  async close(reason: string, isGraceful: boolean): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idle);
    clearTimeout(this.#restart);
    this.#queue.failAll(reason);
    for (const actionId of this.#calls.keys()) this.#reasons.set(actionId, reason);
    await Promise.all(this.#pods.map((pod) => pod.stop(isGraceful)));
  }

  #breakOff(actionId: string, why: string): void {
    this.#queue.withdraw(actionId)?.settle(failedResult(why));
    const pod = this.#calls.get(actionId);
    if (pod === undefined) return;
    this.#reasons.set(actionId, why);
    pod.cancel(actionId, this.#patience.cancelMs);
  }

  /** Hands out what can be handed out, and has as many pods as are needed. */
  #pump(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#idle);
    for (let pod = this.#freest(); pod !== undefined && this.#queue.length > 0; pod = this.#freest()) {
      void this.#hand(pod, this.#queue.take() as Waiting);
    }
    const isBusy = this.#queue.length > 0 || this.#calls.size > 0;
    const { minScale } = this.#plan.revision;
    // Calls do not wait for the pause after a failure; they are told if it fails again.
    const wanted = this.#restart === undefined || isBusy ? Math.max(minScale, isBusy ? 1 : 0) : 0;
    while (this.#pods.length < wanted) this.#addPod();
    if (isBusy || this.#pods.length <= minScale) return;
    this.#idle = setTimeout(() => this.#shrink(), this.#patience.idleMs);
    this.#idle.unref();
  }

  #freest(): Pod | undefined {
    const free = this.#pods.filter(({ isUp, load }) => isUp && load < MOST_CALLS_OF_A_POD);
    return free.toSorted((a, b) => a.load - b.load)[0];
  }

  async #hand(pod: Pod, { call, settle }: Waiting): Promise<void> {
    pod.load += 1;
    this.#calls.set(call.actionId, pod);
    const result = await this.#run(pod, call).catch((error: unknown) =>
      failedResult(error instanceof Error ? error.message : String(error)),
    );
    pod.load -= 1;
    this.#calls.delete(call.actionId);
    this.#reasons.delete(call.actionId);
    settle(result);
    this.#pump();
  }

  async #run(pod: Pod, call: ContainerCall): Promise<ContainerResult> {
    const entries = await entriesOf(call.files);
    const early = this.#reasons.get(call.actionId);
    if (early !== undefined) return failedResult(early);
    const told = await pod.call(call, entries);
    if (told.answered.status > 0) this.#failures = 0;
    const why = told.answered.problem === '' ? undefined : this.#reasons.get(call.actionId);
    return toResult(why === undefined ? told : { ...told, answered: { ...told.answered, problem: why } });
  }

  #addPod(): void {
    clearTimeout(this.#restart);
    this.#restart = undefined;
    const pod = new Pod(this.#plan);
    this.#pods.push(pod);
    void this.#keep(pod);
  }

  /** A pod's life, from its start to its end by itself. */
  async #keep(pod: Pod): Promise<void> {
    try {
      await pod.start();
      this.#pump();
      await pod.lost;
    } catch (error) {
      if (!this.#pods.some(({ isUp }) => isUp))
        this.#queue.failAll(error instanceof Error ? error.message : String(error));
    }
    if (this.#isClosed || !this.#pods.includes(pod)) return;
    this.#failures += 1;
    await this.#end(pod, false);
    const pause = Math.min(LONGEST_RESTART_MS, FIRST_RESTART_MS * 2 ** (this.#failures - 1));
    this.#restart = setTimeout(() => {
      this.#restart = undefined;
      this.#pump();
    }, pause);
    this.#restart.unref();
    this.#pump();
  }

  #shrink(): void {
    const { minScale } = this.#plan.revision;
    for (const pod of this.#pods.slice(minScale)) void this.#end(pod, true);
  }

  async #end(pod: Pod, isGraceful: boolean): Promise<void> {
    this.#pods = this.#pods.filter((other) => other !== pod);
    this.#ended = [...this.#ended, pod].slice(-MOST_ENDED_PODS);
    await pod.stop(isGraceful);
  }
}
