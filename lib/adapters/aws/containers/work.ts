import { createHash } from 'node:crypto';
import { BatchDeleteImageCommand, type ECRClient, GetAuthorizationTokenCommand } from '@aws-sdk/client-ecr';
import { Passing } from '../../../containers/oci/connection.ts';
import type { Login } from '../../../containers/oci/login.ts';
import { Repository } from '../../../containers/oci/registry.ts';
import { Unfit } from '../../../containers/oci/unsupported-image.ts';
import type { Guard } from '../../portable/web.ts';
import { copyImage } from './copying.ts';
import { advanceFunction, advanceScale, type FunctionsOptions, removeFunction } from './functions.ts';
import type { LayersFor } from './layers.ts';
import { type Records, type RevisionRecord, SPEECH } from './records.ts';

/** What the state machine hands over, round for round. */
export interface Errand {
  readonly id: string;
  readonly turn: number;
  /** How often it failed in a row with what passes by itself. */
  readonly tries?: number;
  /** Why it cannot be done, where the machine itself gave up. */
  readonly problem?: string;
}

/** What comes next: with `seconds` another round after that time, without it nothing. */
export type Round = Errand & { readonly seconds?: number };

export interface WorkOptions extends FunctionsOptions {
  readonly records: Records;
  readonly ecr: ECRClient;
  /** The account's own repository: `123456789012.dkr.ecr.eu-west-1.amazonaws.com/weft-containers`. */
  readonly repositoryUri: string;
  /** Where its registry answers; by its name if not given. */
  readonly registryBase?: string;
  /** Stands before the name of each function. */
  readonly namePrefix: string;
  readonly guard: Guard;
  readonly layersFor: LayersFor;
}

/** Between two looks at what takes a while, and before what failed is tried again. */
const LOOK_SECONDS = 3;
const LONGEST_PAUSE_SECONDS = 60;
/** About six minutes. */
const MOST_TRIES = 10;
/** No step begins with less time than this, milliseconds: the largest layers take minutes. */
const LEAST_TIME_MS = 300_000;

/** Names of errors of AWS that pass by themselves: its control planes take 15 requests a second (aws-facts 1.4). */
const PASSING =
  /^(Throttl|TooManyRequests|Service(Exception|Unavailable)|Server|Internal|LimitExceeded|Timeout|ECONN|EPIPE)/;
/** Those by which Lambda says what is wrong with an image, or that there is no room. */
const FINAL = new Set(['InvalidParameterValueException', 'CodeStorageExceededException']);

/** The name of a function, and the tag of its image: a name of Lambda is shorter than a revision's id. */
export const nameOf = (prefix: string, id: string): string =>
  `${prefix}${createHash('sha256').update(id).digest('hex').slice(0, 24)}`;

/** The turn is no longer the last one: somebody wants something else. */
class Outdated extends Error {}

async function note({ records }: WorkOptions, record: RevisionRecord, change: Partial<RevisionRecord>): Promise<void> {
  if (!(await records.note(record, change))) throw new Outdated();
}

async function loginOf(ecr: ECRClient): Promise<Login> {
  const { authorizationData } = await ecr.send(new GetAuthorizationTokenCommand({}));
  const opened = Buffer.from(authorizationData?.[0]?.authorizationToken ?? '', 'base64').toString('utf8');
  const colon = opened.indexOf(':');
  return { user: opened.slice(0, colon), token: opened.slice(colon + 1) };
}

type Stored = RevisionRecord & Required<Pick<RevisionRecord, 'digest' | 'architecture'>>;
const isStored = (record: RevisionRecord): record is Stored => record.digest !== undefined;

/** Copies the image; undefined: time was over. */
async function store(options: WorkOptions, record: RevisionRecord, endsAt: number): Promise<Stored | undefined> {
  const { ecr, repositoryUri, guard, layersFor, records, namePrefix } = options;
  const [host = '', ...path] = repositoryUri.split('/');
  const base = options.registryBase ?? `https://${host}`;
  const target = new Repository(guard, base, path.join('/'), await loginOf(ecr), 'pull,push');
  const next = async (reason: string, message: string): Promise<boolean> => {
    await note(options, record, { reason, message });
    return performance.now() + LEAST_TIME_MS < endsAt;
  };
  const source = { ...record.revision, credentials: await records.credentialsOf(record.id) };
  const stored = await copyImage({ guard, target, layersFor, next }, source, nameOf(namePrefix, record.id));
  if (stored === undefined) return undefined;
  await note(options, record, stored);
  return { ...record, ...stored };
}

/** Goes on where the last round ended; true: it is ready. */
async function makeReady(options: WorkOptions, record: RevisionRecord, endsAt: number): Promise<boolean> {
  const { repositoryUri, namePrefix } = options;
  const stored = isStored(record) ? record : await store(options, record, endsAt);
  if (stored === undefined) return false;
  const { revision, architecture } = stored;
  await note(options, record, { reason: 'Creating', message: 'Lambda is making the image ready' });
  const name = nameOf(namePrefix, record.id);
  const plan = { name, revision, imageUri: `${repositoryUri}@${stored.digest}`, architecture };
  const version = await advanceFunction(options, plan);
  if (version === undefined) return false;
  const words = `Lambda is starting the ${revision.minScale} copies that are kept running`;
  if (revision.minScale > 0) await note(options, record, { reason: 'Scaling', message: words });
  if (!(await advanceScale(options, version, revision.minScale))) return false;
  await note(options, record, { state: 'ready', reason: '', message: '', version, speech: SPEECH });
  return true;
}

/** Takes the function and the tag of its image away; the image goes with its last tag. */
async function takeAway(options: WorkOptions, id: string): Promise<void> {
  const name = nameOf(options.namePrefix, id);
  await removeFunction(options, name);
  const repositoryName = options.repositoryUri.split('/').slice(1).join('/');
  await options.ecr.send(new BatchDeleteImageCommand({ repositoryName, imageIds: [{ imageTag: name }] }));
}

/** What failed leaves nothing in the way of who tries again. */
async function fail(options: WorkOptions, record: RevisionRecord, { reason, message }: Unfit): Promise<void> {
  // A later turn may have made the function by now: it is not this one's to remove.
  await note(options, record, { reason, message });
  await removeFunction(options, nameOf(options.namePrefix, record.id)).catch(() => undefined);
  await note(options, record, { state: 'failed', reason, message });
}

/** Undefined: it passes by itself, and may be tried again. Throws what nobody knows. */
function verdictOf(error: unknown, tries: number): Unfit | undefined {
  if (error instanceof Unfit) return error;
  const { name, message, code = '' } = error as Error & { readonly code?: string };
  if (FINAL.has(name)) return new Unfit('Refused', message);
  if (!(error instanceof Passing) && !PASSING.test(name) && !PASSING.test(code)) throw error;
  return tries < MOST_TRIES ? undefined : new Unfit('GivenUp', `it failed ${tries} times, at last so: ${message}`);
}

async function advance(options: WorkOptions, record: RevisionRecord, endsAt: number): Promise<boolean> {
  if (record.wanted === 'running') return record.state !== 'preparing' || makeReady(options, record, endsAt);
  await takeAway(options, record.id);
  await options.records.forget(record);
  return true;
}

/** What was made after somebody wanted it gone is taken away; what somebody wants anew is theirs. */
async function giveWay(options: WorkOptions, id: string): Promise<void> {
  const [now] = await options.records.find([id]);
  if (now === undefined || now.wanted === 'gone') await takeAway(options, id);
}

/**
 * Does for a revision what can be done until then, and says whether to go on. Any round may be cut short: the next does
 * the rest. Throws what is no fault of the revision's and does not pass.
 */
export async function work(options: WorkOptions, errand: Errand, milliseconds: number): Promise<Round> {
  const { id, turn, tries = 0, problem } = errand;
  const endsAt = performance.now() + milliseconds;
  const [record] = await options.records.find([id]);
  if (record === undefined || record.turn !== turn) {
    await giveWay(options, id);
    return { id, turn };
  }
  try {
    if (problem !== undefined) throw new Unfit('GivenUp', problem);
    return (await advance(options, record, endsAt)) ? { id, turn } : { id, turn, seconds: LOOK_SECONDS };
  } catch (error) {
    if (error instanceof Outdated) {
      await giveWay(options, id);
      return { id, turn };
    }
    const verdict = verdictOf(error, tries);
    if (verdict === undefined) {
      const message = `it is tried again: ${error instanceof Error ? error.message : error}`;
      await options.records.note(record, { reason: 'Retrying', message });
      const seconds = Math.min(LONGEST_PAUSE_SECONDS, LOOK_SECONDS * 2 ** tries);
      return { id, turn, tries: tries + 1, seconds };
    }
    if (record.wanted === 'running') await fail(options, record, verdict).catch(ignoreOutdated);
    return { id, turn };
  }
}

function ignoreOutdated(error: unknown): void {
  if (!(error instanceof Outdated)) throw error;
}
