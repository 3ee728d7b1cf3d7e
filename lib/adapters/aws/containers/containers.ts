import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { S3Client } from '@aws-sdk/client-s3';
import { ExecutionAlreadyExists, type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { failed } from '../../../containers/session/protocol.ts';
import { CANCELLED, LATE, TOO_LONG } from '../../../containers/sidecar/messages.ts';
import type { ContainerCall, ContainerResult, Containers, RevisionStatus } from '../../../ports/containers.ts';
import type { Sealer } from '../../../ports/sealer.ts';
import type { Table } from '../../../ports/table.ts';
import { stepFunctionsClient } from '../executions/executions.ts';
import { type Bounds, type Invoke, Lost, type Pause } from './line.ts';
import { type Post, putCancellation } from './mailbox.ts';
import { Records, type RevisionRecord } from './records.ts';

export interface LambdaContainersOptions {
  readonly table: Table;
  /** Asked for when there are credentials to keep. */
  readonly sealer: () => Sealer;
  /** The machine that makes revisions ready, and takes them away. */
  readonly machineArn: string;
  /** The bucket through which containers are answered. */
  readonly bucket: string;
  /** How containers are called; undefined: nobody does so here. */
  readonly invoke?: Invoke;
  readonly sfn?: SFNClient;
  readonly s3?: S3Client;
  readonly now?: () => number;
  /** Waits; by the system's timer if not given. */
  readonly pause?: Pause;
  /** How long a call is listened to after it was cancelled, or late, milliseconds; 15 s if not given. */
  readonly patienceMs?: number;
}

/** The container is told, has ten seconds, and says what it left. */
const PATIENCE_MS = 15_000;
const LONGEST_CALL_MS = 14 * 60_000;

/** Nobody has worked on it for so long: its machine was never started, or died. Milliseconds. */
const UNBEGUN_MS = 60_000;
const ABANDONED_MS = 20 * 60_000;
const LOOK_MS = 1_000;

const gone = (id: string): ContainerResult => failed(`the revision '${id}' was never prepared, or is removed`);

const defaultPause: Pause = (milliseconds, signal) => sleep(milliseconds, undefined, { signal });

/**
 * Container services as Lambda functions made of ordinary images (docs/decisions/029). What takes long, copying an
 * image and making a function of it, a state machine does without a request; here is no right to any of it.
 */
export function lambdaContainers(options: LambdaContainersOptions): Containers {
  return new LambdaContainers(options);
}

class LambdaContainers implements Containers {
  readonly #options: LambdaContainersOptions;
  readonly #records: Records;
  readonly #now: () => number;
  readonly #pause: Pause;
  /** Those that this process waits for, by their action's id. */
  readonly #calls = new Map<string, AbortController>();
  #sfn: SFNClient | undefined;
  #s3: S3Client | undefined;

  constructor(options: LambdaContainersOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#pause = options.pause ?? defaultPause;
    this.#records = new Records({ ...options, now: this.#now });
    this.#sfn = options.sfn;
    this.#s3 = options.s3;
  }

  async problem(): Promise<undefined> {}

  async prepare(revision: Parameters<Containers['prepare']>[0]): Promise<void> {
    const [former] = await this.#records.find([revision.id]);
    const isOver = former === undefined || former.wanted === 'gone' || former.state === 'failed';
    const begun = isOver ? await this.#records.begin(revision, former) : undefined;
    if (begun !== undefined) await this.#start(begun);
  }

  async status(ids: readonly string[]): Promise<readonly (RevisionStatus | undefined)[]> {
    const found = await this.#records.find(ids);
    await Promise.all(found.map((record) => record && this.#revive(record)));
    return found.map((record) => (record === undefined || record.wanted === 'gone' ? undefined : statusOf(record)));
  }

  async call(id: string, given: ContainerCall): Promise<ContainerResult> {
    const { invoke } = this.#options;
    if (invoke === undefined) throw new Error('no containers are called from here');
    const cancelled = new AbortController();
    this.#calls.set(given.actionId, cancelled);
    const { bounds, call } = this.#bounded(given, cancelled.signal);
    try {
      const record = await this.#ready(id, bounds.begin);
      if (!isReady(record)) return record;
      const way = { post: this.#post, pause: this.#pause };
      return await invoke(way, record.version, call, bounds).catch((error: unknown) => {
        if (error instanceof Lost) return this.#forget(record);
        throw error;
      });
    } catch (error) {
      if (!bounds.begin.aborted) throw error;
      return failed(cancelled.signal.aborted ? CANCELLED : (bounds.late ?? LATE));
    } finally {
      this.#calls.delete(call.actionId);
    }
  }

  /** The container looks for it; so does whoever waits for its turn in this process. */
  async cancel(_id: string, actionId: string): Promise<void> {
    this.#calls.get(actionId)?.abort();
    await putCancellation(this.#post, actionId);
  }

  async remove(id: string): Promise<void> {
    const [former] = await this.#records.find([id]);
    if (former === undefined) return;
    // A turn that somebody else began at this moment is looked at again by who removes it next.
    const turn = former.wanted === 'gone' ? former : await this.#records.turn(former, 'gone');
    if (turn === undefined) return this.remove(id);
    await this.#start(turn);
  }

  /** Lambda has no copies that a name could be given to; what they write is in the log of all containers. */
  async output(): Promise<undefined> {}

  /** Lambda would end a call after 15 minutes, and this function with it, which would be called again. */
  #bounded(given: ContainerCall, cancelled: AbortSignal): { readonly bounds: Bounds; readonly call: ContainerCall } {
    const now = this.#now();
    const latest = now + LONGEST_CALL_MS;
    const [deadline, late] = given.deadline <= latest ? [given.deadline, LATE] : [latest, TOO_LONG];
    const begin = AbortSignal.any([cancelled, AbortSignal.timeout(Math.max(0, deadline - now))]);
    const end = new AbortController();
    const stop = () => setTimeout(() => end.abort(), this.#options.patienceMs ?? PATIENCE_MS).unref();
    begin.addEventListener('abort', stop, { once: true });
    return { bounds: { late, begin, end: end.signal }, call: { ...given, deadline } };
  }

  get #post(): Post {
    this.#s3 ??= new S3Client();
    return { client: this.#s3, bucket: this.#options.bucket };
  }

  /** Waits for a revision that is on its way. */
  async #ready(id: string, signal: AbortSignal): Promise<Ready | ContainerResult> {
    for (;;) {
      const [record] = await this.#records.find([id]);
      if (record === undefined || record.wanted === 'gone') return gone(id);
      if (record.state === 'failed') return failed(`the service cannot run: ${record.message}`);
      if (record.state === 'ready' && record.version !== undefined) return { ...record, version: record.version };
      await this.#revive(record);
      await this.#pause(LOOK_MS, signal);
    }
  }

  /** Whoever asks next for what is forgotten has it prepared again. */
  async #forget(record: RevisionRecord): Promise<ContainerResult> {
    await this.#records.forget(record);
    return failed('the Lambda function of this service was deleted; it is made again as soon as the service is used');
  }

  /** Begins anew what nobody works on. */
  async #revive(record: RevisionRecord): Promise<void> {
    const idle = this.#now() - record.at;
    if (record.state !== 'preparing' || idle < (record.reason === '' ? UNBEGUN_MS : ABANDONED_MS)) return;
    const turn = await this.#records.turn(record, record.wanted);
    if (turn !== undefined) await this.#start(turn);
  }

  async #start({ id, turn }: RevisionRecord): Promise<void> {
    this.#sfn ??= stepFunctionsClient();
    const name = `${createHash('sha256').update(id).digest('hex').slice(0, 40)}-${turn}`;
    const { machineArn: stateMachineArn } = this.#options;
    const input = JSON.stringify({ id, turn, tries: 0 });
    try {
      await this.#sfn.send(new StartExecutionCommand({ stateMachineArn, name, input }));
    } catch (error) {
      if (!(error instanceof ExecutionAlreadyExists)) throw error;
    }
  }
}

type Ready = RevisionRecord & { readonly version: string };
const isReady = (found: Ready | ContainerResult): found is Ready => 'version' in found;

const statusOf = ({ id, state, reason, message }: RevisionRecord): RevisionStatus => ({
  id,
  state,
  reason,
  message,
  pods: [],
});
