import { RevisionFailedError } from '../../../containers/errors.ts';
import { failedResult } from '../../../containers/session/protocol.ts';
import { CANCELLED, LATE } from '../../../containers/sidecar/messages.ts';
import type { ContainerCall, ContainerResult, ContainerRevision, RevisionStatus } from '../../../ports/containers.ts';
import { MAX_QUEUED, QUEUE_FULL, timeoutAt } from './call-queue.ts';
import type { EngineProvider } from './engine/provider.ts';
import { fetchImage, imageIdOf } from './images.ts';
import { type Pod, tenantOf } from './pod.ts';
import type { PrivateImages } from './private-images.ts';
import { type RevisionTimeouts, RunningRevision } from './running-revision.ts';

/** The options of a prepared revision. */
export interface PreparedRevisionOptions {
  readonly revision: ContainerRevision;
  /** The id of its image in the engine, from an earlier process. */
  readonly image: string | undefined;
  readonly privateImages: PrivateImages;
  readonly findEngine: EngineProvider['find'];
  /** Called with the id of the image when the engine has it. */
  readonly onImage: (image: string) => void;
  readonly timeouts: RevisionTimeouts;
}

/** A revision from its preparation on: first its image is fetched, then it runs. */
export class PreparedRevision {
  readonly #options: PreparedRevisionOptions;
  readonly #abort = new AbortController();
  readonly #prepared: Promise<RunningRevision | RevisionFailedError>;
  /** Ends the wait of calls that came before the image, by the id of their action. */
  readonly #waiting = new Map<string, (problem: string) => void>();
  #result: RunningRevision | RevisionFailedError | undefined;

  constructor(options: PreparedRevisionOptions) {
    this.#options = options;
    this.#prepared = this.#prepare();
  }

  get status(): RevisionStatus {
    const { id } = this.#options.revision;
    const result = this.#result;
    if (result === undefined) return { id, state: 'preparing', reason: '', message: '', pods: [] };
    if (result instanceof RunningRevision) return { id, state: 'ready', reason: '', message: '', pods: result.pods };
    return { id, state: 'failed', reason: result.reason, message: result.message, pods: [] };
  }

  /** The pod with that name. */
  findPod(name: string): Pod | undefined {
    return this.#result instanceof RunningRevision ? this.#result.findPod(name) : undefined;
  }

  /** Waits for the image, and calls the revision. A failure is part of the result. */
  async call(call: ContainerCall): Promise<ContainerResult> {
    if (this.#result instanceof RunningRevision) return this.#result.call(call);
    const { actionId, deadline } = call;
    if (this.#waiting.size >= MAX_QUEUED) return failedResult(QUEUE_FULL);
    const ended = new Promise<ContainerResult>((resolve) => {
      this.#waiting.set(actionId, (problem) => resolve(failedResult(problem)));
    });
    const timer = timeoutAt(deadline, () => this.#waiting.get(actionId)?.(LATE));
    const first = await Promise.race([this.#prepared, ended]);
    clearTimeout(timer);
    this.#waiting.delete(actionId);
    if (first instanceof RevisionFailedError) return failedResult(first.message);
    return first instanceof RunningRevision ? first.call(call) : first;
  }

  /** Cancels a call, if there is one with this id. */
  cancel(actionId: string): void {
    this.#waiting.get(actionId)?.(CANCELLED);
    if (this.#result instanceof RunningRevision) this.#result.cancel(actionId);
  }

  /** Removes all containers. Calls in progress fail with the problem. */
  async close(problem: string): Promise<void> {
    this.#abort.abort();
    const prepared = await this.#prepared;
    if (prepared instanceof RunningRevision) await prepared.close(problem);
  }

  async #prepare(): Promise<RunningRevision | RevisionFailedError> {
    this.#result = await this.#fetch().catch((error: unknown) => {
      if (error instanceof RevisionFailedError) return error;
      return new RevisionFailedError('ContainerMissing', error instanceof Error ? error.message : String(error));
    });
    return this.#result;
  }

  async #fetch(): Promise<RunningRevision> {
    const { revision, image: former, findEngine, onImage, timeouts, privateImages } = this.#options;
    const runtime = await findEngine();
    if ('problem' in runtime) throw new RevisionFailedError('NoContainerEngine', runtime.problem);
    const { engine } = runtime;
    const { image: name, credentials } = revision;
    const { signal } = this.#abort;
    const known = former === undefined ? undefined : await imageIdOf(engine, former);
    const tenant = tenantOf(revision);
    const image = known ?? (await fetchImage({ engine, image: name, credentials, signal, tenant, privateImages }));
    if (signal.aborted) throw new RevisionFailedError('Removed', 'the service was removed');
    onImage(image);
    return new RunningRevision({ runtime, revision, image, timeouts });
  }
}
