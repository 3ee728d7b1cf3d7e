import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { RevisionFailedError } from '../../../containers/errors.ts';
import type { FileEntry } from '../../../containers/session/archives.ts';
import type { CallOutcome } from '../../../containers/session/call-session.ts';
import type { ContainerCall, ContainerRevision, Pod as PodStatus } from '../../../ports/containers.ts';
import { labels } from './leftovers.ts';
import { PodOutput } from './pod-output.ts';
import { Sidecar } from './sidecar.ts';
import { SIDECAR_PROGRAM } from './sidecar-image.ts';
import type { Workplace } from './workplace.ts';

export interface PodPlan {
  readonly workplace: Workplace;
  readonly revision: ContainerRevision;
  /** What the engine knows the image by. */
  readonly image: string;
  /** How long the function may take until it listens, milliseconds. */
  readonly listenMs: number;
}

const GRACE_SECONDS = 5;
const REMOVE_AGAIN_MS = 1_000;
/** A connection that breaks is mostly the end of its function, of which we hear a moment later. */
const LAST_NEWS_MS = 1_000;
const OUT_OF_MEMORY = 137;
const NOT_STARTED = new Set([125, 126, 127]);

/** A running copy of a revision: the function's container and, beside it, the sidecar whose network it uses. */
export class Pod {
  readonly name: string;
  readonly output = new PodOutput();
  /** Resolves, with the reason, when it ends by itself after it was up. */
  readonly lost: Promise<string>;
  load = 0;
  isUp = false;
  status: PodStatus['status'] = 'Pending';
  readonly #plan: PodPlan;
  #sidecar: Sidecar | undefined;
  #exit: Promise<number> | undefined;
  #isStopping = false;
  #lose: (why: string) => void = () => undefined;

  constructor(plan: PodPlan) {
    this.#plan = plan;
    this.name = `${plan.revision.id}-${randomBytes(4).toString('hex')}`;
    this.lost = new Promise((resolve) => {
      this.#lose = resolve;
    });
  }

  /** Resolves when the function listens. Throws Unfit when it does not; the pod is to be stopped all the same. */
  async start(): Promise<void> {
    const sidecar = this.#startSidecar();
    await sidecar.ready.catch((error: Error) => {
      throw new RevisionFailedError(
        'SidecarFailed',
        `the process beside the container could not be started: ${error.message}`,
      );
    });
    if (this.#isStopping) throw new RevisionFailedError('Removed', 'the revision was removed');
    this.#exit = this.#startFunction();
    const { listenMs } = this.#plan;
    const first = await Promise.race([sidecar.probe(listenMs), this.#exit]);
    if (typeof first === 'number') {
      this.status = first === 0 ? 'Succeeded' : 'Failed';
      throw new RevisionFailedError(
        'ContainerFailed',
        `${this.#endWords(first)} before it listened on port 8080${this.#lastWords()}`,
      );
    }
    if (!first) {
      this.status = 'Failed';
      const seconds = Math.round(listenMs / 1000);
      throw new RevisionFailedError(
        'NotListening',
        `the container did not listen on port 8080 within ${seconds} seconds`,
      );
    }
    this.isUp = true;
    this.status = 'Running';
    void this.#watch(sidecar, this.#exit);
  }

  async call(call: ContainerCall, entries: readonly FileEntry[]): Promise<CallOutcome> {
    const told = await (this.#sidecar as Sidecar).call(call, entries);
    if (told.answered.isLost !== true) return told;
    const code = await Promise.race([this.#exit, sleep(LAST_NEWS_MS, undefined, { ref: false })]);
    if (code === undefined) return told;
    const problem = `${this.#endWords(code)} before it answered${this.#lastWords()}`;
    return { ...told, answered: { ...told.answered, problem } };
  }

  cancel(actionId: string, ms: number): void {
    this.#sidecar?.cancel(actionId, ms);
  }

  /** Ends both containers; gracefully: the function may end by itself first. */
  async stop(isGraceful: boolean): Promise<void> {
    this.#isStopping = true;
    this.isUp = false;
    const { engine } = this.#plan.workplace;
    if (isGraceful && this.#exit !== undefined) await engine.run(['stop', '-t', String(GRACE_SECONDS), this.name]);
    if (this.#exit !== undefined) await this.#removeUntil(this.#exit, this.name);
    const sidecarEnded = this.#sidecar?.end();
    if (sidecarEnded !== undefined) await this.#removeUntil(sidecarEnded, `${this.name}-sidecar`);
  }

  /** A container that was just on its way when it was to be removed comes nevertheless. */
  async #removeUntil(ended: Promise<unknown>, name: string): Promise<void> {
    const { engine } = this.#plan.workplace;
    const isOver = () => Promise.race([ended.then(() => true), sleep(REMOVE_AGAIN_MS, false, { ref: false })]);
    await engine.run([...engine.remove, name]);
    while (!(await isOver())) await engine.run([...engine.remove, name]);
  }

  async #watch(sidecar: Sidecar, exit: Promise<number>): Promise<void> {
    const code = await Promise.race([exit, sidecar.ended]);
    this.isUp = false;
    if (this.#isStopping) return;
    this.status = code === 0 ? 'Succeeded' : 'Failed';
    this.#lose(code === undefined ? 'its sidecar ended' : `${this.#endWords(code)}${this.#lastWords()}`);
  }

  #endWords(code: number): string {
    if (NOT_STARTED.has(code)) return 'the container could not be started: it ended';
    const guess = code === OUT_OF_MEMORY ? ' (killed; perhaps out of memory)' : '';
    return `the container ended with exit code ${code}${guess}`;
  }

  #lastWords(): string {
    const words = this.output.lastWords();
    return words === '' ? '' : `: ${words}`;
  }

  #startSidecar(): Sidecar {
    const { engine, flags, image, owner } = this.#plan.workplace;
    const rights = [
      '--read-only',
      '--user',
      '0',
      '--cap-drop',
      'ALL',
      '--cap-add',
      'DAC_OVERRIDE',
      '--cap-add',
      'FOWNER',
    ];
    const words = [
      // Without --rm: podman would tell of its end only when the function that uses its network has ended too.
      ...['run', '-i', '--name', `${this.name}-sidecar`, '--log-driver', 'none', ...labels(owner, 'sidecar')],
      ...rights,
      ...['--security-opt', 'no-new-privileges', '--security-opt', 'label=disable', '-v', '/mnt/shared'],
      ...[...flags.always, ...flags.network, ...image.mounts, image.name],
      ...[image.node, '--disable-warning=ExperimentalWarning', SIDECAR_PROGRAM],
    ];
    this.#sidecar = new Sidecar(engine.start(words, ['pipe', 'pipe', 'pipe']));
    return this.#sidecar;
  }

  #startFunction(): Promise<number> {
    const { workplace, revision, image } = this.#plan;
    const { engine, flags, owner } = workplace;
    const [program, ...args] = revision.command;
    const beside = `${this.name}-sidecar`;
    const words = [
      ...['run', '--rm', '--name', this.name, '--log-driver', 'none', ...labels(owner, 'function')],
      ...['--network', `container:${beside}`, '--volumes-from', `${beside}:z`],
      ...[...flags.always, ...flags.limits[revision.size]],
      ...Object.entries(revision.environment).flatMap(([name, value]) => ['-e', `${name}=${value}`]),
      ...(program === undefined ? [] : ['--entrypoint', program]),
      ...[image, ...args],
    ];
    const child = engine.start(words, ['ignore', 'pipe', 'pipe']);
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => this.output.add(chunk));
    return exitOf(child);
  }
}

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(-1));
    child.once('close', (code) => resolve(code ?? -1));
  });
}
