import { createHash } from 'node:crypto';
import { BatchDeleteImageCommand, type ECRClient, GetAuthorizationTokenCommand } from '@aws-sdk/client-ecr';
import { RevisionFailedError, TransientError } from '../../../../containers/errors.ts';
import type { RegistryLogin } from '../../../../containers/oci/login.ts';
import { Repository } from '../../../../containers/oci/registry.ts';
import type { EgressGuard } from '../../../../egress/guard.ts';
import { copyImage } from '../images/copy.ts';
import type { LayerSource } from '../images/layers.ts';
import { advanceFunction, advanceScale, type FunctionsOptions, removeFunction } from './functions.ts';
import { PROTOCOL_VERSION, type RevisionRecord, type RevisionRecords } from './records.ts';

/** The payload of the state machine that reconciles a revision. */
export interface ReconcileTask {
  readonly id: string;
  readonly turn: number;
  /** The number of consecutive rounds that failed with a transient error. */
  readonly tries?: number;
  /** The error with which the state machine itself gave up. */
  readonly problem?: string;
}

/** The result of a round. With `seconds` another round follows after that time, without it none. */
export type ReconcileResult = ReconcileTask & { readonly seconds?: number };

/** The options of the reconciliation. */
export interface ReconcileOptions extends FunctionsOptions {
  readonly records: RevisionRecords;
  readonly ecr: ECRClient;
  /** The account's own repository: `123456789012.dkr.ecr.eu-west-1.amazonaws.com/weft-containers`. */
  readonly repositoryUri: string;
  /** The URL of its registry; derived from `repositoryUri` if not given. */
  readonly registryBase?: string;
  /** The prefix of every function's name. */
  readonly namePrefix: string;
  readonly guard: EgressGuard;
  readonly layersFor: LayerSource;
}

/** The delay before the next poll, and before the first retry. */
const FIRST_DELAY_SECONDS = 3;
const MAX_DELAY_SECONDS = 60;
/** About six minutes. */
const MAX_TRIES = 10;
/** An operation starts only when at least this time is left, milliseconds: the largest layers take minutes. */
const MIN_TIME_MS = 300_000;

/** Names and codes of transient errors of AWS: its control planes accept 15 requests a second (aws-facts 1.4). */
const TRANSIENT =
  /^(Throttl|TooManyRequests|Service(Exception|Unavailable)|Server|Internal|LimitExceeded|Timeout|ECONN|EPIPE)/;
/** Names of errors with which Lambda rejects an image, or reports that its storage is full. */
const FINAL = new Set(['InvalidParameterValueException', 'CodeStorageExceededException']);

/**
 * The name of a revision's function, and the tag of its image. Lambda's names are shorter than the id of a revision.
 */
export const functionNameOf = (prefix: string, id: string): string =>
  `${prefix}${createHash('sha256').update(id).digest('hex').slice(0, 24)}`;

/** Another process has started a later turn: the desired state changed. */
class StaleTurnError extends Error {
  override readonly name = 'StaleTurnError';
}

/**
 * Runs one round of the reconciliation of a revision, which takes at most `milliseconds`. A round may be interrupted at
 * any point: the next one continues.
 * @throws the error when it is neither a fault of the revision nor transient.
 */
export async function reconcile(
  options: ReconcileOptions,
  task: ReconcileTask,
  milliseconds: number,
): Promise<ReconcileResult> {
  const { id, turn, problem } = task;
  const endsAt = performance.now() + milliseconds;
  const [record] = await options.records.find([id]);
  if (record === undefined || record.turn !== turn) {
    await removeIfUnwanted(options, id);
    return { id, turn };
  }
  try {
    if (problem !== undefined) throw new RevisionFailedError('GivenUp', problem);
    return (await advance(options, record, endsAt)) ? { id, turn } : { id, turn, seconds: FIRST_DELAY_SECONDS };
  } catch (error) {
    return handleError(options, task, record, error);
  }
}

/** Works towards the desired state; true: it is reached. */
async function advance(options: ReconcileOptions, record: RevisionRecord, endsAt: number): Promise<boolean> {
  if (record.wanted === 'running') return record.state !== 'preparing' || prepare(options, record, endsAt);
  await removeResources(options, record.id);
  await options.records.remove(record);
  return true;
}

/** Continues where the last round ended; true: the revision is ready. */
async function prepare(options: ReconcileOptions, record: RevisionRecord, endsAt: number): Promise<boolean> {
  const { repositoryUri, namePrefix } = options;
  const copied = isCopied(record) ? record : await copy(options, record, endsAt);
  if (copied === undefined) return false;
  const { revision, architecture } = copied;
  await update(options, record, { reason: 'Creating', message: 'Lambda is making the image ready' });
  const name = functionNameOf(namePrefix, record.id);
  const plan = { name, revision, imageUri: `${repositoryUri}@${copied.digest}`, architecture };
  const version = await advanceFunction(options, plan);
  if (version === undefined) return false;
  const message = `Lambda is starting the ${revision.minScale} copies that are kept running`;
  if (revision.minScale > 0) await update(options, record, { reason: 'Scaling', message });
  if (!(await advanceScale(options, version, revision.minScale))) return false;
  await update(options, record, { state: 'ready', reason: '', message: '', version, protocol: PROTOCOL_VERSION });
  return true;
}

type CopiedRecord = RevisionRecord & Required<Pick<RevisionRecord, 'digest' | 'architecture'>>;
const isCopied = (record: RevisionRecord): record is CopiedRecord => record.digest !== undefined;

/** Copies the image; undefined: the time was over. */
async function copy(
  options: ReconcileOptions,
  record: RevisionRecord,
  endsAt: number,
): Promise<CopiedRecord | undefined> {
  const { ecr, repositoryUri, guard, layersFor, records, namePrefix } = options;
  const [host = '', ...path] = repositoryUri.split('/');
  const base = options.registryBase ?? `https://${host}`;
  const login = await loginOf(ecr);
  const target = new Repository({ guard, base, name: path.join('/'), login, actions: 'pull,push' });
  const onProgress = async (reason: string, message: string): Promise<boolean> => {
    await update(options, record, { reason, message });
    return performance.now() + MIN_TIME_MS < endsAt;
  };
  const source = { ...record.revision, credentials: await records.credentialsOf(record.id) };
  const tag = functionNameOf(namePrefix, record.id);
  const copied = await copyImage({ guard, target, layersFor, onProgress }, source, tag);
  if (copied === undefined) return undefined;
  await update(options, record, copied);
  return { ...record, ...copied };
}

async function loginOf(ecr: ECRClient): Promise<RegistryLogin> {
  const { authorizationData } = await ecr.send(new GetAuthorizationTokenCommand({}));
  const decoded = Buffer.from(authorizationData?.[0]?.authorizationToken ?? '', 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  return { user: decoded.slice(0, colon), token: decoded.slice(colon + 1) };
}

/** @throws StaleTurnError */
async function update(
  { records }: Pick<ReconcileOptions, 'records'>,
  record: RevisionRecord,
  change: Partial<RevisionRecord>,
): Promise<void> {
  if (!(await records.update(record, change))) throw new StaleTurnError('a later turn was started');
}

async function handleError(
  options: ReconcileOptions,
  { id, turn, tries = 0 }: ReconcileTask,
  record: RevisionRecord,
  error: unknown,
): Promise<ReconcileResult> {
  if (error instanceof StaleTurnError) {
    await removeIfUnwanted(options, id);
    return { id, turn };
  }
  const failure = toFailure(error, tries);
  if (failure === undefined) {
    const message = `it is tried again: ${error instanceof Error ? error.message : error}`;
    await options.records.update(record, { reason: 'Retrying', message });
    const seconds = Math.min(MAX_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2 ** tries);
    return { id, turn, tries: tries + 1, seconds };
  }
  if (record.wanted === 'running') await fail(options, record, failure);
  return { id, turn };
}

/** Undefined: the error is transient and may be retried. Throws an error that is neither. */
function toFailure(error: unknown, tries: number): RevisionFailedError | undefined {
  if (error instanceof RevisionFailedError) return error;
  const { name, message, code = '' } = error as Error & { readonly code?: string };
  if (FINAL.has(name)) return new RevisionFailedError('Refused', message);
  if (!(error instanceof TransientError) && !TRANSIENT.test(name) && !TRANSIENT.test(code)) throw error;
  if (tries < MAX_TRIES) return undefined;
  return new RevisionFailedError('GivenUp', `it failed ${tries} times, at last so: ${message}`);
}

/** Removes the function before the state becomes `failed`, so that it does not interfere with the next attempt. */
async function fail(
  options: ReconcileOptions,
  record: RevisionRecord,
  { reason, message }: RevisionFailedError,
): Promise<void> {
  try {
    // The function may belong to a later turn, which must keep it.
    await update(options, record, { reason, message });
    await removeFunction(options, functionNameOf(options.namePrefix, record.id)).catch(() => undefined);
    await update(options, record, { state: 'failed', reason, message });
  } catch (error) {
    if (!(error instanceof StaleTurnError)) throw error;
  }
}

/** Removes the resources of this turn if the desired state is `gone` now. A later turn `running` keeps them. */
async function removeIfUnwanted(options: ReconcileOptions, id: string): Promise<void> {
  const [now] = await options.records.find([id]);
  if (now === undefined || now.wanted === 'gone') await removeResources(options, id);
}

/** Removes the function and the tag of its image; ECR removes an image with its last tag. */
async function removeResources(options: ReconcileOptions, id: string): Promise<void> {
  const name = functionNameOf(options.namePrefix, id);
  await removeFunction(options, name);
  const repositoryName = options.repositoryUri.split('/').slice(1).join('/');
  await options.ecr.send(new BatchDeleteImageCommand({ repositoryName, imageIds: [{ imageTag: name }] }));
}
