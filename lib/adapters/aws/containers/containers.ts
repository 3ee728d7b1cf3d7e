import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { S3Client } from '@aws-sdk/client-s3';
import { ExecutionAlreadyExists, type SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { failedResult } from '../../../containers/session/protocol.ts';
import { CANCELLED, LATE, TOO_LONG } from '../../../containers/sidecar/messages.ts';
import type { ContainerCall, ContainerResult, Containers, RevisionStatus } from '../../../ports/containers.ts';
import type { Sealer } from '../../../ports/sealer.ts';
import type { Table } from '../../../ports/table.ts';
import { stepFunctionsClient } from '../executions/executions.ts';
import { type ChannelStore, putCancellation } from './calls/channel.ts';
import { type CallLimits, FunctionMissingError, type Invoke, type Sleep } from './calls/transport.ts';
import { type RevisionRecord, RevisionRecords } from './revisions/records.ts';

/** The resources of the deployment that containers use, and replacements for tests. */
export interface LambdaContainersOptions {
  readonly table: Table;
  /** Called when there are credentials to seal. */
  readonly sealer: () => Sealer;
  /** The state machine that reconciles revisions. */
  readonly machineArn: string;
  /** The bucket with the channels to sidecars. */
  readonly bucket: string;
  /** Calls a container; undefined where this function makes no calls. */
  readonly invoke?: Invoke;
  readonly sfn?: SFNClient;
  readonly s3?: S3Client;
  readonly now?: () => number;
  /** Waits; by the timer of the system if not given. */
  readonly sleep?: Sleep;
  /** How long the response is still read after a call was cancelled or reached its deadline; 15,000 ms if not given. */
  readonly graceMs?: number;
}

/** The sidecar is notified, the function has ten seconds, and its outputs are sent. */
const GRACE_MS = 15_000;
const MAX_CALL_MS = 14 * 60_000;

/** A reconciliation counts as never started, or as crashed, when its record has not changed for this time. */
const NOT_STARTED_MS = 60_000;
const CRASHED_MS = 20 * 60_000;
const POLL_INTERVAL_MS = 1_000;

const systemSleep: Sleep = (milliseconds, signal) => sleep(milliseconds, undefined, { signal });

const notPrepared = (id: string): ContainerResult =>
  failedResult(`the revision '${id}' was never prepared, or is removed`);

/**
 * Container services as Lambda functions that are made of ordinary images (docs/decisions/029). A state machine copies
 * images and creates functions; this adapter has no permission for either.
 */
export function lambdaContainers(options: LambdaContainersOptions): Containers {
  return new LambdaContainers(options);
}

class LambdaContainers implements Containers {
  readonly #options: LambdaContainersOptions;
  readonly #records: RevisionRecords;
  readonly #now: () => number;
  readonly #sleep: Sleep;
  /** The cancellation of the calls that this process makes, by their action's id. */
  readonly #calls = new Map<string, AbortController>();
  #sfn: SFNClient | undefined;
  #s3: S3Client | undefined;

  constructor(options: LambdaContainersOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#sleep = options.sleep ?? systemSleep;
    this.#records = new RevisionRecords({ ...options, now: this.#now });
    this.#sfn = options.sfn;
    this.#s3 = options.s3;
  }

  async problem(): Promise<undefined> {}

  async prepare(revision: Parameters<Containers['prepare']>[0]): Promise<void> {
    const [former] = await this.#records.find([revision.id]);
    const isOver = former === undefined || former.wanted === 'gone' || former.state === 'failed';
    const created = isOver ? await this.#records.create(revision, former) : undefined;
    if (created !== undefined) await this.#startReconciliation(created);
  }

  async status(ids: readonly string[]): Promise<readonly (RevisionStatus | undefined)[]> {
    const found = await this.#records.find(ids);
    await Promise.all(found.map((record) => record && this.#restartIfCrashed(record)));
    return found.map((record) => (record === undefined || record.wanted === 'gone' ? undefined : statusOf(record)));
  }

  async call(id: string, given: ContainerCall): Promise<ContainerResult> {
    const { invoke } = this.#options;
    if (invoke === undefined) throw new Error('no containers are called from here');
    const cancelled = new AbortController();
    this.#calls.set(given.actionId, cancelled);
    const { limits, call } = this.#limited(given, cancelled.signal);
    try {
      const record = await this.#waitUntilReady(id, limits.begin);
      if (!isReady(record)) return record;
      const transport = { store: this.#store, sleep: this.#sleep };
      return await invoke(transport, record.version, call, limits).catch((error: unknown) => {
        if (error instanceof FunctionMissingError) return this.#removeRecord(record);
        throw error;
      });
    } catch (error) {
      if (!limits.begin.aborted) throw error;
      return failedResult(cancelled.signal.aborted ? CANCELLED : (limits.late ?? LATE));
    } finally {
      this.#calls.delete(call.actionId);
    }
  }

  /** Cancels a call that waits in this process, and signals the cancellation to the sidecar. */
  async cancel(_id: string, actionId: string): Promise<void> {
    this.#calls.get(actionId)?.abort();
    await putCancellation(this.#store, actionId);
  }

  async remove(id: string): Promise<void> {
    const [former] = await this.#records.find([id]);
    if (former === undefined) return;
    const current = former.wanted === 'gone' ? former : await this.#records.restart(former, 'gone');
    // Another process changed the record: the removal begins again with the changed one.
    if (current === undefined) return this.remove(id);
    await this.#startReconciliation(current);
  }

  /** Lambda has no named copies of a function; the log group of all containers has their output. */
  async output(): Promise<undefined> {}

  /** Limits a call to 14 minutes: Lambda ends this function after 15, and would repeat it and the call. */
  #limited(
    given: ContainerCall,
    cancelled: AbortSignal,
  ): { readonly limits: CallLimits; readonly call: ContainerCall } {
    const now = this.#now();
    const latest = now + MAX_CALL_MS;
    const [deadline, late] = given.deadline <= latest ? [given.deadline, LATE] : [latest, TOO_LONG];
    const begin = AbortSignal.any([cancelled, AbortSignal.timeout(Math.max(0, deadline - now))]);
    const end = new AbortController();
    const stop = () => setTimeout(() => end.abort(), this.#options.graceMs ?? GRACE_MS).unref();
    begin.addEventListener('abort', stop, { once: true });
    return { limits: { late, begin, end: end.signal }, call: { ...given, deadline } };
  }

  get #store(): ChannelStore {
    this.#s3 ??= new S3Client();
    return { client: this.#s3, bucket: this.#options.bucket };
  }

  /** Polls the record of a revision that is being prepared. */
  async #waitUntilReady(id: string, signal: AbortSignal): Promise<ReadyRecord | ContainerResult> {
    for (;;) {
      const [record] = await this.#records.find([id]);
      if (record === undefined || record.wanted === 'gone') return notPrepared(id);
      if (record.state === 'failed') return failedResult(`the service cannot run: ${record.message}`);
      if (record.state === 'ready' && record.version !== undefined) return { ...record, version: record.version };
      await this.#restartIfCrashed(record);
      await this.#sleep(POLL_INTERVAL_MS, signal);
    }
  }

  /** Removes the record of a function that does not exist any more, so that the next use prepares it again. */
  async #removeRecord(record: RevisionRecord): Promise<ContainerResult> {
    await this.#records.remove(record);
    return failedResult(
      'the Lambda function of this service was deleted; it is made again as soon as the service is used',
    );
  }

  async #restartIfCrashed(record: RevisionRecord): Promise<void> {
    const unchangedMs = this.#now() - record.at;
    const isAlive = unchangedMs < (record.reason === '' ? NOT_STARTED_MS : CRASHED_MS);
    if (record.state !== 'preparing' || isAlive) return;
    const restarted = await this.#records.restart(record, record.wanted);
    if (restarted !== undefined) await this.#startReconciliation(restarted);
  }

  async #startReconciliation({ id, turn }: RevisionRecord): Promise<void> {
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

type ReadyRecord = RevisionRecord & { readonly version: string };
const isReady = (found: ReadyRecord | ContainerResult): found is ReadyRecord => 'version' in found;

const statusOf = ({ id, state, reason, message }: RevisionRecord): RevisionStatus => ({
  id,
  state,
  reason,
  message,
  pods: [],
});
