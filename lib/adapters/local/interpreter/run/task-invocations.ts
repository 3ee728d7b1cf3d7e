import type { Activity } from '../../concurrency/activity.ts';
import { ConcurrencyGate } from '../../concurrency/concurrency-gate.ts';
import { textWithin } from '../context/limits.ts';
import { type Runtime, waitUntilStored } from '../context/runtime.ts';
import { toStoredError, toTaskError } from '../context/states-error.ts';
import type { Thread } from '../context/thread.ts';
import type { TaskCall } from '../states/task.ts';

/** The result of a call. `submitted`: the function received the task token, and the result comes with the callback. */
export type InvocationResult =
  | { readonly phase: 'result' | 'failed'; readonly work: string }
  | { readonly phase: 'submitted' };

/** Calls the functions of tasks: each call after its thread is stored, and a limited number at a time. */
export class TaskInvocations {
  readonly #runtime: Runtime;
  readonly #activity: Activity;
  readonly #gate: ConcurrencyGate;

  constructor(runtime: Runtime, activity: Activity) {
    this.#runtime = runtime;
    this.#activity = activity;
    this.#gate = new ConcurrencyGate(runtime.limits.calls);
  }

  /** Makes the thread's call and passes its result to `onResult`, both only while `isAwaited` returns true. */
  async run(thread: Thread, isAwaited: () => boolean, onResult: (result: InvocationResult) => void): Promise<void> {
    const done = this.#activity.begin();
    await waitUntilStored(this.#runtime);
    const result = await this.#gate.run(async () => (isAwaited() ? invokeTask(this.#runtime, thread) : undefined));
    if (result && isAwaited()) onResult(result);
    done();
  }
}

/**
 * Makes the call of a task. The result has the shape that Lambda's Invoke has in Step Functions. A function that throws
 * fails the task with the name of its error. Never throws.
 */
async function invokeTask({ invoke, limits }: Runtime, thread: Thread): Promise<InvocationResult> {
  const { token } = thread.details;
  const { function: name, payload } = JSON.parse(thread.work ?? '{}') as TaskCall;
  try {
    const answer = await invoke(name, payload, token === undefined ? {} : { token });
    if (token !== undefined) return { phase: 'submitted' };
    const result = { ExecutedVersion: '$LATEST', Payload: answer ?? null, StatusCode: 200 };
    return { phase: 'result', work: textWithin(limits.bytes, 'the result', result) };
  } catch (thrown) {
    return { phase: 'failed', work: toStoredError(toTaskError(thrown)) };
  }
}
