import { parseJson } from '../../../../language/json-numbers.ts';
import { FairQueue } from '../../../../language/sandbox/fair-queue.ts';
import type { Activity } from '../../concurrency/activity.ts';
import { textWithin } from '../context/limits.ts';
import { type Runtime, waitUntilStored } from '../context/runtime.ts';
import { ERRORS, StatesError, toStoredError, toTaskError } from '../context/states-error.ts';
import type { Thread } from '../context/thread.ts';
import type { TaskCall } from '../states/task.ts';
import type { Settle } from './branch-runner.ts';
import type { ThreadWriter } from './thread-writer.ts';
import type { Waits } from './waits.ts';

/** The result of a call. `submitted`: the function received the task token, and the result comes with the callback. */
type InvocationResult =
  | { readonly phase: 'result' | 'failed'; readonly work: string }
  | { readonly phase: 'submitted' };

/** The dependencies of task invocations. */
export interface TaskInvocationsProps {
  readonly runtime: Runtime;
  readonly activity: Activity;
  readonly waits: Waits;
  readonly threads: ThreadWriter;
  readonly settle: Settle;
  /** Whether the thread may go on: it is not discarded, and its execution is running here. */
  readonly mayRun: (thread: Thread) => boolean;
}

/** The name of the error of a task that was killed too often; no machine retries it. */
const STEP_KILLED = 'Weft.StepKilled';
const MAX_KILLS = 10;
/** A task that ran at so many kills is tried alone; the next one follows when it has returned, or after some seconds. */
const MAX_KILLS_IN_COMPANY = 3;
const MAX_ALONE_MS = 5_000;

/** Calls the functions of tasks: each call after its thread is stored, and a limited number at a time of each tenant. */
export class TaskInvocations {
  readonly #props: TaskInvocationsProps;
  readonly #queue: FairQueue;
  /** Resolves when no task is tried alone. */
  #alone: Promise<void> = Promise.resolve();

  constructor(props: TaskInvocationsProps) {
    this.#props = props;
    this.#queue = new FairQueue(props.runtime.limits.calls);
  }

  /**
   * Runs a task: makes its call, unless that returned before a restart, and waits for its callback or its timeout. Resolves
   * when the call has returned.
   */
  async run(thread: Thread): Promise<void> {
    const { waits, settle } = this.#props;
    const { due, dueError, submitted } = thread.details;
    waits.register(thread);
    if (due !== undefined) {
      const timeout = toStoredError(new StatesError(dueError ?? ERRORS.timeout));
      waits.until(thread, due, () => settle(thread, 'failed', timeout));
    }
    if (!submitted) await this.#invoke(thread);
  }

  /**
   * Runs a task again after a restart. A task that ran each time the process was killed may be the cause: it is tried
   * alone, so that it does not take others with it, and fails after `MAX_KILLS` times instead of killing the process for
   * ever.
   */
  resume(thread: Thread, wasKilled: boolean): void {
    const { submitted, kills = 0 } = thread.details;
    if (submitted || !wasKilled) void this.run(thread);
    else if (kills < MAX_KILLS_IN_COMPANY) void this.#runCounted(thread);
    else this.#alone = this.#alone.then(() => this.#runAlone(thread));
  }

  async #runAlone(thread: Thread): Promise<void> {
    const { clock, timers } = this.#props.runtime;
    const passed = new Promise<void>((resolve) => timers.at(clock.now() + MAX_ALONE_MS, resolve));
    await Promise.race([this.#runCounted(thread), passed]);
  }

  async #runCounted(thread: Thread): Promise<void> {
    const { mayRun, settle, threads } = this.#props;
    if (!mayRun(thread) || thread.phase !== 'task') return;
    const kills = (thread.details.kills ?? 0) + 1;
    if (kills < MAX_KILLS) {
      threads.setPhase(thread, 'task', { ...thread.details, kills }, thread.work);
      await this.run(thread);
      return;
    }
    const cause = `the process was killed ${MAX_KILLS} times while it ran`;
    settle(thread, 'failed', toStoredError(new StatesError(STEP_KILLED, cause)));
  }

  async #invoke(thread: Thread): Promise<void> {
    const { runtime, activity, mayRun, settle, threads } = this.#props;
    const call = {};
    thread.call = call;
    const isAwaited = (): boolean => thread.call === call && mayRun(thread);
    const done = activity.begin();
    await waitUntilStored(runtime);
    const tenant = await tenantOf(runtime, thread);
    const result = await this.#queue.run(tenant, async () => (isAwaited() ? invokeTask(runtime, thread) : undefined));
    if (result && isAwaited()) {
      if (result.phase !== 'submitted') settle(thread, result.phase, result.work);
      else threads.setPhase(thread, 'task', { ...thread.details, submitted: true }, thread.work);
    }
    done();
  }
}

/** While storage cannot be read, no tenant is known; the call itself then fails for that reason. */
const tenantOf = async ({ tenantOf: find }: Runtime, { execution }: Thread): Promise<string> =>
  (await find?.(execution.input).catch(() => undefined)) ?? '';

/**
 * Makes the call of a task. The result has the shape that Lambda's Invoke has in Step Functions. A function that throws
 * fails the task with the name of its error. Never throws.
 */
async function invokeTask({ invoke, limits }: Runtime, thread: Thread): Promise<InvocationResult> {
  const { token } = thread.details;
  const { function: name, payload, clientContext } = parseJson(thread.work ?? '{}') as TaskCall;
  try {
    const answer = await invoke(name, payload, {
      ...(token === undefined ? {} : { token }),
      ...(clientContext === undefined ? {} : { clientContext }),
    });
    if (token !== undefined) return { phase: 'submitted' };
    const result = { ExecutedVersion: '$LATEST', Payload: answer ?? null, StatusCode: 200 };
    return { phase: 'result', work: textWithin(limits.bytes, 'the result', result) };
  } catch (thrown) {
    return { phase: 'failed', work: toStoredError(toTaskError(thrown)) };
  }
}
