import type { Activity } from '../../concurrency/activity.ts';
import { Turnstile } from '../../concurrency/concurrency-gate.ts';
import { failureText, StateFailure, taskFailure } from '../context/failure.ts';
import { textWithin } from '../context/limits.ts';
import type { Thread } from '../context/thread.ts';
import { durable, type World } from '../context/world.ts';
import type { Call } from '../states/task.ts';

/** What came of a call: `submitted` means that the function took the token and the answer will come by itself. */
export interface Returned {
  readonly phase: 'result' | 'failed' | 'submitted';
  readonly work: string;
}

/** The calls of functions: each when its thread is stored and its turn has come. */
export class Errands {
  readonly #world: World;
  readonly #activity: Activity;
  readonly #turnstile: Turnstile;

  constructor(world: World, activity: Activity) {
    this.#world = world;
    this.#activity = activity;
    this.#turnstile = new Turnstile(world.limits.calls);
  }

  /** Runs the thread's call, and hands over what came of it, as long as it `isAwaited`. */
  async run(thread: Thread, isAwaited: () => boolean, take: (returned: Returned) => void): Promise<void> {
    const done = this.#activity.begin();
    await durable(this.#world);
    const returned = await this.#turnstile.run(async () => (isAwaited() ? call(this.#world, thread) : undefined));
    if (returned && isAwaited()) take(returned);
    done();
  }
}

/**
 * Makes the call a Task has prepared. A result has the shape of Lambda's Invoke in Step Functions; a function that
 * throws fails the task under the error's name. Never throws.
 */
async function call({ invoke, limits }: World, thread: Thread): Promise<Returned> {
  const { token } = thread.details;
  const { function: name, payload } = JSON.parse(thread.work ?? '{}') as Call;
  try {
    const answer = await invoke(name, payload, token === undefined ? {} : { token });
    if (token !== undefined) return { phase: 'submitted', work: '' };
    const result = { ExecutedVersion: '$LATEST', Payload: answer ?? null, StatusCode: 200 };
    return { phase: 'result', work: textWithin(limits.bytes, 'the result', result) };
  } catch (thrown) {
    const failure = thrown instanceof StateFailure ? thrown : taskFailure(thrown);
    return { phase: 'failed', work: failureText(failure) };
  }
}
