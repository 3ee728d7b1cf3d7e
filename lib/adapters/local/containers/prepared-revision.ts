import { RevisionFailedError } from '../../../containers/errors.ts';
import { failedResult } from '../../../containers/session/protocol.ts';
import { CANCELLED, LATE } from '../../../containers/sidecar/messages.ts';
import type { ContainerCall, ContainerResult, ContainerRevision, RevisionStatus } from '../../../ports/containers.ts';
import { MOST_WAITING, TOO_MANY, timeoutAt } from './call-queue.ts';
import { fetchImage, idOf } from './images.ts';
import type { Pod } from './pod.ts';
import { type Patience, RunningRevision } from './revision.ts';
import type { Workplaces } from './workplace.ts';

export interface PreparedRevisionOptions {
  readonly revision: ContainerRevision;
  /** What the engine knew its image by, in a former process. */
  readonly image: string | undefined;
  readonly find: Workplaces['find'];
  readonly onImage: (image: string) => void;
  readonly patience: Patience;
}

/** A revision from the moment in which it is prepared: first its image is fetched, then it can run. */
export class PreparedRevision {
  readonly #options: PreparedRevisionOptions;
  readonly #abort = new AbortController();
  readonly #running: Promise<RunningRevision | RevisionFailedError>;
  /** Calls that came before the image. */
  readonly #waiting = new Map<string, (why: string) => void>();
  #settled: RunningRevision | RevisionFailedError | undefined;

  constructor(options: PreparedRevisionOptions) {
    this.#options = options;
    this.#running = this.#prepare();
  }

  get status(): RevisionStatus {
    const { id } = this.#options.revision;
    const settled = this.#settled;
    if (settled === undefined) return { id, state: 'preparing', reason: '', message: '', pods: [] };
    if (settled instanceof RunningRevision) return { id, state: 'ready', reason: '', message: '', pods: settled.pods };
    return { id, state: 'failed', reason: settled.reason, message: settled.message, pods: [] };
  }

  find(pod: string): Pod | undefined {
    return this.#settled instanceof RunningRevision ? this.#settled.find(pod) : undefined;
  }

  async call(call: ContainerCall): Promise<ContainerResult> {
    if (this.#settled instanceof RunningRevision) return this.#settled.call(call);
    const { actionId, deadline } = call;
    if (this.#waiting.size >= MOST_WAITING) return failedResult(TOO_MANY);
    const givenUp = new Promise<ContainerResult>((resolve) => {
      this.#waiting.set(actionId, (why) => resolve(failedResult(why)));
    });
    const late = timeoutAt(deadline, () => this.#waiting.get(actionId)?.(LATE));
    const first = await Promise.race([this.#running, givenUp]);
    clearTimeout(late);
    this.#waiting.delete(actionId);
    if (first instanceof RevisionFailedError) return failedResult(first.message);
    return first instanceof RunningRevision ? first.call(call) : first;
  }

  cancel(actionId: string): void {
    this.#waiting.get(actionId)?.(CANCELLED);
    if (this.#settled instanceof RunningRevision) this.#settled.cancel(actionId);
  }

  async close(reason: string): Promise<void> {
    this.#abort.abort();
    const running = await this.#running;
    if (running instanceof RunningRevision) await running.close(reason, false);
  }

  async #prepare(): Promise<RunningRevision | RevisionFailedError> {
    this.#settled = await this.#fetch().catch((error: unknown) => {
      if (error instanceof RevisionFailedError) return error;
      return new RevisionFailedError('ContainerMissing', error instanceof Error ? error.message : String(error));
    });
    return this.#settled;
  }

  async #fetch(): Promise<RunningRevision> {
    const { revision, image: former, find, onImage, patience } = this.#options;
    const workplace = await find();
    if ('problem' in workplace) throw new RevisionFailedError('NoContainerEngine', workplace.problem);
    const { engine } = workplace;
    const known = former === undefined ? undefined : await idOf(engine, former);
    const image = known ?? (await fetchImage(engine, revision.image, revision.credentials, this.#abort.signal));
    if (this.#abort.signal.aborted) throw new RevisionFailedError('Removed', 'the service was removed');
    onImage(image);
    return new RunningRevision(workplace, revision, image, patience);
  }
}
