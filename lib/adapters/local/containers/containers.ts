import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { failedResult } from '../../../containers/session/protocol.ts';
import type {
  ContainerCall,
  ContainerResult,
  ContainerRevision,
  Containers,
  RevisionStatus,
} from '../../../ports/containers.ts';
import { EngineProvider, type EngineSettings } from './engine/provider.ts';
import { PreparedRevision } from './prepared-revision.ts';
import { PrivateImages } from './private-images.ts';
import { RevisionsJournal } from './revisions-journal.ts';
import type { RevisionTimeouts } from './running-revision.ts';

/** Which engine runs containers, and where revisions are stored. */
export interface LocalContainersOptions extends EngineSettings {
  /** The folder of the prepared revisions; undefined: in memory. One process at a time. */
  readonly folder: string | undefined;
  readonly timeouts?: Partial<RevisionTimeouts>;
}

/** Containers on this machine. */
export interface LocalContainers extends Containers {
  /** Loads the revisions of an earlier process. Uses no engine when there are none. */
  resume(): Promise<void>;
  /** Removes every container at once. */
  close(): Promise<void>;
}

const TIMEOUTS: RevisionTimeouts = { listenMs: 120_000, idleMs: 300_000, cancelMs: 10_000 };

/** The label of the containers of a data folder: a hash of its real path. */
export function installationOf(folder: string | undefined): string {
  return folder === undefined
    ? randomUUID()
    : createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 16);
}

/** Containers of podman or docker on this machine. The engine is detected at its first use. */
export function localContainers(options: LocalContainersOptions): LocalContainers {
  return new EngineContainers(options);
}

class EngineContainers implements LocalContainers {
  readonly #engines: EngineProvider;
  readonly #journal: RevisionsJournal;
  readonly #privateImages: PrivateImages;
  readonly #timeouts: RevisionTimeouts;
  readonly #revisions = new Map<string, PreparedRevision>();
  #isClosed = false;

  constructor({ folder, timeouts, ...settings }: LocalContainersOptions) {
    if (folder !== undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#journal = new RevisionsJournal(folder === undefined ? ':memory:' : join(folder, 'revisions.db'));
    this.#privateImages = new PrivateImages(this.#journal);
    this.#engines = new EngineProvider(settings, { installation: installationOf(folder), process: randomUUID() });
    this.#timeouts = { ...TIMEOUTS, ...timeouts };
  }

  async resume(): Promise<void> {
    for (const { revision, image } of this.#journal.all()) this.#add(revision, image);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const closing = [...this.#revisions.values()].map((revision) => revision.close('the service is being stopped'));
    await Promise.all(closing);
    await this.#engines.close();
    this.#revisions.clear();
    this.#journal.close();
  }

  async problem(): Promise<string | undefined> {
    const found = await this.#engines.find();
    return 'problem' in found ? found.problem : undefined;
  }

  async prepare(revision: ContainerRevision): Promise<void> {
    const former = this.#revisions.get(revision.id);
    if (former !== undefined && former.status.state !== 'failed') return;
    this.#journal.put({ revision, image: undefined });
    this.#add(revision, undefined);
  }

  async status(ids: readonly string[]): Promise<readonly (RevisionStatus | undefined)[]> {
    return ids.map((id) => this.#revisions.get(id)?.status);
  }

  async call(id: string, call: ContainerCall): Promise<ContainerResult> {
    const revision = this.#revisions.get(id);
    const result = await (revision?.call(call) ??
      failedResult(`the revision '${id}' was never prepared, or is removed`));
    // The call failed because this process ends. It counts as not made, and the next process repeats it.
    if (this.#isClosed) throw new Error('the service is being stopped');
    return result;
  }

  async cancel(id: string, actionId: string): Promise<void> {
    this.#revisions.get(id)?.cancel(actionId);
  }

  async remove(id: string): Promise<void> {
    const revision = this.#revisions.get(id);
    this.#revisions.delete(id);
    this.#journal.remove(id);
    await revision?.close('the service was removed');
  }

  async output(pod: string, from: number): Promise<{ readonly text: string; readonly end: number } | undefined> {
    for (const revision of this.#revisions.values()) {
      const output = revision.findPod(pod)?.output;
      if (output !== undefined) return output.read(from);
    }
    return undefined;
  }

  #add(revision: ContainerRevision, image: string | undefined): void {
    const onImage = (fetched: string) => {
      // The revision may have been removed, or prepared again, meanwhile.
      if (this.#revisions.get(revision.id) === added) this.#journal.put({ revision, image: fetched });
    };
    const findEngine = () => this.#engines.find();
    const privateImages = this.#privateImages;
    const options = { revision, image, findEngine, onImage, privateImages, timeouts: this.#timeouts };
    const added: PreparedRevision = new PreparedRevision(options);
    this.#revisions.set(revision.id, added);
  }
}
