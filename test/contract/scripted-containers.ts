import type { ContainerRevision, Containers, Pod, RevisionStatus } from '../../lib/ports/containers.ts';

/** How the containers behave. */
export interface Script {
  /** The number of status calls after which a revision is ready. */
  readonly polls?: number;
  /** Why no container can run. */
  problem?: string | undefined;
}

interface Prepared {
  readonly revision: ContainerRevision;
  polls: number;
  output: string;
}

/**
 * A fake of the port: a revision is ready after a number of status calls, and fails if its image begins with `bad`. It
 * records the calls.
 */
export class ScriptedContainers implements Containers {
  readonly script: Script;
  readonly prepared = new Map<string, Prepared>();
  /** The ids of all calls of `prepare`, in order. */
  readonly preparations: string[] = [];
  readonly removed: string[] = [];

  constructor(script: Script = {}) {
    this.script = script;
  }

  problem = async (): Promise<string | undefined> => this.script.problem;

  prepare = async (revision: ContainerRevision): Promise<void> => {
    this.preparations.push(revision.id);
    const isKept = this.prepared.has(revision.id) && !revision.image.startsWith('bad');
    if (!isKept) this.prepared.set(revision.id, { revision, polls: 0, output: '' });
  };

  status = async (ids: readonly string[]): Promise<readonly (RevisionStatus | undefined)[]> =>
    ids.map((id) => this.#statusOf(id));

  call: Containers['call'] = async (_id, { input }) => ({ body: input, outputs: [] });
  cancel = async (): Promise<void> => {};

  remove = async (id: string): Promise<void> => {
    this.removed.push(id);
    this.prepared.delete(id);
  };

  output: Containers['output'] = async (pod, from) => {
    const [prepared] = [...this.prepared.values()].filter(({ revision }) => this.podOf(revision.id).name === pod);
    if (prepared === undefined) return undefined;
    const bytes = Buffer.from(prepared.output);
    return { text: bytes.subarray(from).toString(), end: bytes.length };
  };

  podOf = (id: string): Pod => ({ name: `${id}-pod`, status: 'Running' });

  /** Adds to the output of a pod. */
  write(id: string, text: string): void {
    const found = this.prepared.get(id);
    if (found === undefined) throw new Error(`${id} is not prepared`);
    found.output += text;
  }

  /** Removes a revision, as if the process had crashed before it was prepared. */
  lose(id: string): void {
    this.prepared.delete(id);
  }

  #statusOf(id: string): RevisionStatus | undefined {
    const found = this.prepared.get(id);
    if (found === undefined) return undefined;
    const { image } = found.revision;
    if (image.startsWith('bad')) {
      return { id, state: 'failed', reason: 'ImagePull', message: `there is no image ${image}`, pods: [] };
    }
    found.polls += 1;
    const isReady = found.polls > (this.script.polls ?? 0);
    if (isReady) return { id, state: 'ready', reason: '', message: '', pods: [this.podOf(id)] };
    return { id, state: 'preparing', reason: '', message: '', pods: [] };
  }
}
