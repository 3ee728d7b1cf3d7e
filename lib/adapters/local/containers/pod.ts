import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { RevisionFailedError } from '../../../containers/errors.ts';
import type { FileEntry } from '../../../containers/session/archives.ts';
import type { CallOutcome } from '../../../containers/session/call-session.ts';
import type { ContainerCall, ContainerRevision, Pod as PodStatus } from '../../../ports/containers.ts';
import type { EngineRuntime } from './engine/provider.ts';
import { labels } from './engine/reaper.ts';
import { removeContainer } from './engine/removal.ts';
import { SIDECAR_PROGRAM } from './engine/sidecar-image.ts';
import { PodOutput } from './pod-output.ts';
import { Sidecar } from './sidecar.ts';

/** The options of a pod. */
export interface PodPlan {
  readonly runtime: EngineRuntime;
  readonly revision: ContainerRevision;
  /** The id of the image in the engine. */
  readonly image: string;
  /** The time until the function must listen, milliseconds. */
  readonly listenMs: number;
}

const GRACE_SECONDS = 5;
/** The time for the sidecar to end by itself: podman fails to remove a container that ends at the same moment. */
const SIDECAR_END_MS = 1_000;
/**
 * A lost connection usually means that the function has ended, which the engine reports later: after it has removed the
 * container, which takes seconds on a busy machine. A function that still listens has probably not ended.
 */
const EXIT_REPORT_MS = { whenListening: 1_000, whenNot: 30_000 } as const;
const OUT_OF_MEMORY = 137;
/** Exit codes of `run` when the container could not be started. */
const NOT_STARTED = new Set([125, 126, 127]);
/** The sidecar runs as root, to read and write files of every user, and has no other capability. */
const SIDECAR_RIGHTS = [
  ...['--read-only', '--user', '0', '--cap-add', 'DAC_OVERRIDE', '--cap-add', 'FOWNER'],
  ...['--security-opt', 'label=disable'],
];
/** The size of the limits of a sidecar. */
const SIDECAR_SIZE = 1;

/** The folders that a function can write to besides the shared one: in memory, which counts as its own. */
const TEMPORARY = ['/tmp', '/run', '/var/tmp'].flatMap((path) => [
  '--tmpfs',
  `${path}:rw,exec,nosuid,nodev,mode=1777,size=256m`,
]);

/** A running instance of a revision: the container of the function, and a sidecar whose network it shares. */
export class Pod {
  readonly name: string;
  readonly output = new PodOutput();
  /** Resolves with the reason when the pod ends by itself after it was up. */
  readonly lost: Promise<string>;
  /** The number of running calls. */
  load = 0;
  isUp = false;
  status: PodStatus['status'] = 'Pending';
  readonly #plan: PodPlan;
  readonly #sidecarName: string;
  #sidecar: Sidecar | undefined;
  #exit: Promise<number> | undefined;
  #network: Promise<readonly string[]> | undefined;
  #isStopping = false;
  #lose: (reason: string) => void = () => undefined;

  constructor(plan: PodPlan) {
    this.#plan = plan;
    this.name = `${plan.revision.id}-${randomBytes(4).toString('hex')}`;
    this.#sidecarName = `${this.name}-sidecar`;
    this.lost = new Promise((resolve) => {
      this.#lose = resolve;
    });
  }

  /**
   * Starts both containers. Resolves when the function listens.
   * @throws RevisionFailedError when it does not; the pod must be stopped nevertheless.
   */
  async start(): Promise<void> {
    const network = await this.#useNetwork();
    if (this.#isStopping) throw new RevisionFailedError('Removed', 'the revision was removed');
    const sidecar = this.#startSidecar(network);
    await sidecar.ready.catch((error: Error) => {
      const problem = `the process beside the container could not be started: ${error.message}`;
      throw new RevisionFailedError('SidecarFailed', problem);
    });
    if (this.#isStopping) throw new RevisionFailedError('Removed', 'the revision was removed');
    this.#exit = this.#startFunction();
    const { listenMs } = this.#plan;
    const first = await Promise.race([sidecar.probe(listenMs), this.#exit]);
    if (typeof first === 'number') {
      this.status = first === 0 ? 'Succeeded' : 'Failed';
      const problem = `${describeExit(first)} before it listened on port 8080${this.#lastLine()}`;
      throw new RevisionFailedError('ContainerFailed', problem);
    }
    if (!first) {
      this.status = 'Failed';
      const seconds = Math.round(listenMs / 1000);
      const problem = `the container did not listen on port 8080 within ${seconds} seconds`;
      throw new RevisionFailedError('NotListening', problem);
    }
    this.isUp = true;
    this.status = 'Running';
    void this.#watch(sidecar, this.#exit);
  }

  /** Calls the function. A failure is the problem of the outcome. */
  async call(call: ContainerCall, entries: readonly FileEntry[]): Promise<CallOutcome> {
    const sidecar = this.#sidecar;
    if (sidecar === undefined) throw new Error(`the pod ${this.name} was not started`);
    const outcome = await sidecar.call(call, entries);
    if (outcome.answered.isLost !== true) return outcome;
    const isListening = await sidecar.probe(0);
    const timeout = sleep(isListening ? EXIT_REPORT_MS.whenListening : EXIT_REPORT_MS.whenNot, undefined, {
      ref: false,
    });
    const code = await Promise.race([this.#exit, timeout]);
    if (code === undefined) return outcome;
    // The next call must not be given to this pod, also if the listener of the exit has not run yet.
    this.isUp = false;
    const problem = `${describeExit(code)} before it answered${this.#lastLine()}`;
    return { ...outcome, answered: { ...outcome.answered, problem } };
  }

  /** Cancels a call, and aborts it after `ms` milliseconds. */
  cancel(actionId: string, ms: number): void {
    this.#sidecar?.cancel(actionId, ms);
  }

  /** Removes both containers. If graceful, the function may end by itself before. */
  async stop(isGraceful: boolean): Promise<void> {
    this.#isStopping = true;
    this.isUp = false;
    const { engine } = this.#plan.runtime;
    if (isGraceful && this.#exit !== undefined) await engine.run(['stop', '-t', String(GRACE_SECONDS), this.name]);
    if (this.#exit !== undefined) await removeContainer(engine, this.name, this.#exit);
    const sidecarEnd = this.#sidecar?.end();
    if (sidecarEnd !== undefined) {
      await Promise.race([sidecarEnd, sleep(SIDECAR_END_MS, undefined, { ref: false })]);
      await removeContainer(engine, this.#sidecarName, sidecarEnd);
    }
    await this.#releaseNetwork();
  }

  async #useNetwork(): Promise<readonly string[]> {
    const { runtime, revision } = this.#plan;
    this.#network = runtime.networks.use(tenantOf(revision));
    return this.#network.catch((error: Error) => {
      throw new RevisionFailedError('NetworkFailed', error.message);
    });
  }

  async #releaseNetwork(): Promise<void> {
    const network = this.#network;
    this.#network = undefined;
    if (network === undefined) return;
    await network.catch(() => undefined);
    await this.#plan.runtime.networks.release(tenantOf(this.#plan.revision));
  }

  async #watch(sidecar: Sidecar, exit: Promise<number>): Promise<void> {
    const code = await Promise.race([exit, sidecar.ended]);
    this.isUp = false;
    if (this.#isStopping) return;
    this.status = code === 0 ? 'Succeeded' : 'Failed';
    this.#lose(code === undefined ? 'its sidecar ended' : `${describeExit(code)}${this.#lastLine()}`);
  }

  #lastLine(): string {
    const line = this.output.lastLine();
    return line === '' ? '' : `: ${line}`;
  }

  #startSidecar(network: readonly string[]): Sidecar {
    const { engine, flags, image, owner } = this.#plan.runtime;
    const args = [
      // Without --rm: podman would report its end only after the function that uses its network has ended too.
      ...['run', '-i', '--name', this.#sidecarName, '--log-driver', 'none', ...labels(owner, 'sidecar')],
      ...[...flags.rights, ...SIDECAR_RIGHTS, ...flags.limits[SIDECAR_SIZE], '-v', '/mnt/shared'],
      ...[...flags.always, ...network, ...image.mounts],
      ...[image.name, image.node, '--disable-warning=ExperimentalWarning', SIDECAR_PROGRAM],
    ];
    this.#sidecar = new Sidecar(engine.start(args, ['pipe', 'pipe', 'pipe']));
    return this.#sidecar;
  }

  #startFunction(): Promise<number> {
    const { runtime, revision, image } = this.#plan;
    const { engine, flags, owner } = runtime;
    const [program, ...programArgs] = revision.command;
    const args = [
      ...['run', '--rm', '--name', this.name, '--log-driver', 'none', ...labels(owner, 'function')],
      ...['--network', `container:${this.#sidecarName}`, '--volumes-from', `${this.#sidecarName}:z`],
      ...[...flags.rights, ...rootOf(this.#plan), ...withoutNetwork(flags.always), ...flags.limits[revision.size]],
      ...Object.entries(revision.environment).flatMap(([name, value]) => ['-e', `${name}=${value}`]),
      ...(program === undefined ? [] : ['--entrypoint', program]),
      ...[image, ...programArgs],
    ];
    const child = engine.start(args, ['ignore', 'pipe', 'pipe']);
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => this.output.add(chunk));
    return exitCodeOf(child);
  }
}

/** The tenant of a revision, whose pods share a network and whose images are shared: a namespace, or the installation. */
export const tenantOf = ({ tenant }: Pick<ContainerRevision, 'tenant'>): string => tenant?.id ?? 'installation';

/** Arguments of `run` for the root of a function: read-only, unless it was excepted. */
function rootOf({ revision, runtime }: PodPlan): readonly string[] {
  const names = ['*', revision.tenant?.name ?? '', revision.image];
  const isWritable = names.some((name) => runtime.writableRoots.has(name));
  return isWritable ? [] : ['--read-only', ...TEMPORARY];
}

/** Options without those of the network: a function uses that of its sidecar. */
function withoutNetwork(flags: readonly string[]): readonly string[] {
  return flags.filter(
    (flag, index) => !/^--net(work)?(=|$)/.test(flag) && !/^--net(work)?$/.test(flags[index - 1] ?? ''),
  );
}

function describeExit(code: number): string {
  if (NOT_STARTED.has(code)) return 'the container could not be started: it ended';
  const guess = code === OUT_OF_MEMORY ? ' (killed; perhaps out of memory)' : '';
  return `the container ended with exit code ${code}${guess}`;
}

function exitCodeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(-1));
    child.once('close', (code) => resolve(code ?? -1));
  });
}
