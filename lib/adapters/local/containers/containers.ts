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
import { PreparedRevision } from './prepared-revision.ts';
import type { Patience } from './revision.ts';
import { RevisionsJournal } from './revisions-journal.ts';
import { type EngineSettings, Workplaces } from './workplace.ts';

export interface LocalContainersOptions extends EngineSettings {
  /** Where prepared revisions are kept; undefined: in memory. One process at a time. */
  readonly folder: string | undefined;
  readonly patience?: Partial<Patience>;
}

export interface LocalContainers extends Containers {
  /** Goes on with the revisions of a former process. Asks for no engine when there are none. */
  resume(): Promise<void>;
  /** Stops every container at once; nothing runs any more. */
  close(): Promise<void>;
}

const PATIENCE: Patience = { listenMs: 120_000, idleMs: 300_000, cancelMs: 10_000 };

/** What the containers of a data folder are labelled with: the folder's own name, wherever it is called from. */
export function installationOf(folder: string | undefined): string {
  return folder === undefined
    ? randomUUID()
    : createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 16);
}

/** Containers of podman or docker on this machine. The engine is looked for when it is first needed. */
export function localContainers(options: LocalContainersOptions): LocalContainers {
  return new EngineContainers(options);
}

class EngineContainers implements LocalContainers {
  readonly #workplaces: Workplaces;
  readonly #journal: RevisionsJournal;
  readonly #patience: Patience;
  readonly #revisions = new Map<string, PreparedRevision>();
  #isClosed = false;

  constructor({ folder, patience, ...settings }: LocalContainersOptions) {
    if (folder !== undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#journal = new RevisionsJournal(folder === undefined ? ':memory:' : join(folder, 'revisions.db'));
    this.#workplaces = new Workplaces(settings, { installation: installationOf(folder), process: randomUUID() });
    this.#patience = { ...PATIENCE, ...patience };
  }

  async resume(): Promise<void> {
    for (const { revision, image } of this.#journal.all()) this.#add(revision, image);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const closing = [...this.#revisions.values()].map((revision) => revision.close('the service is being stopped'));
    await Promise.all(closing);
    await this.#workplaces.close();
    this.#revisions.clear();
    this.#journal.close();
  }

  async problem(): Promise<string | undefined> {
    const found = await this.#workplaces.find();
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
    const result = await (revision?.call(call) ?? failedResult(`the revision '${id}' was never prepared, or is removed`));
    // Not the container broke off but this process ends: nothing came of the call, and the next process makes it again.
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
      const output = revision.find(pod)?.output;
      if (output !== undefined) return output.read(from);
    }
    return undefined;
  }

  #add(revision: ContainerRevision, image: string | undefined): void {
    const onImage = (fetched: string) => {
      // It may have been removed, or prepared anew, meanwhile.
      if (this.#revisions.get(revision.id) === made) this.#journal.put({ revision, image: fetched });
    };
    const find = () => this.#workplaces.find();
    const made: PreparedRevision = new PreparedRevision({ revision, image, find, onImage, patience: this.#patience });
    this.#revisions.set(revision.id, made);
  }
}
