import { setTimeout as sleep } from 'node:timers/promises';
import { tooMany } from '../../domain/errors.ts';
import { limitsInTable } from '../../domain/namespaces/start-limits.ts';
import type { StartLimits } from '../../domain/run-limits.ts';
import { activeRuns, countBeginning } from '../../domain/runs/active-runs.ts';
import type { Run } from '../../domain/runs/runs.ts';
import { failure } from '../evaluation/failures.ts';
import type { EnginePorts } from '../ports.ts';
import { ActiveRunSamples } from './active-run-samples.ts';
import { countDescendant } from './descendants.ts';
import { StartBlocks } from './start-blocks.ts';
import { StartRate } from './start-rate.ts';

type Needs = Pick<EnginePorts, 'table' | 'clock' | 'settings' | 'meter'>;

/** A limit that keeps a run from being started. */
interface Excess {
  readonly code: 'limits.activeRuns' | 'limits.startRate';
  readonly message: string;
  /** Milliseconds after which a new attempt may succeed. */
  readonly retryMs: number;
}

/** A namespace with too many pending runs is asked again after this time. */
const ACTIVE_RETRY_MS = 5_000;

/** Events, schedules and callers wait for their turn at most this long. */
const PATIENCE_MS = 5_000;

const rate = new StartRate();
const samples = new ActiveRunSamples();
const blocks = new StartBlocks();

/** A namespace, and the limits that it sets. */
interface Limited {
  readonly id: string;
  readonly limits?: Partial<StartLimits> | undefined;
}

const tooManyActive = (most: number): Excess => {
  return { code: 'limits.activeRuns', message: `the namespace has ${most} active runs`, retryMs: ACTIVE_RETRY_MS };
};

const tooManyStarts = (perSecond: number, retryMs: number): Excess => {
  return { code: 'limits.startRate', message: `the namespace starts more than ${perSecond} runs a second`, retryMs };
};

/** Takes a start by the limits of the installation, if this process counts them. Returns the limit that is reached. */
function takeHere({ settings, clock }: Needs, namespaceId: string): Excess | undefined {
  const { activeRuns: mostActive, startsPerSecond, countedBy } = settings.limits ?? {};
  if (countedBy === 'table') return undefined;
  if (mostActive !== undefined && activeRuns(namespaceId) >= mostActive) return tooManyActive(mostActive);
  const wait = startsPerSecond === undefined ? 0 : rate.take(namespaceId, startsPerSecond, clock.now());
  return startsPerSecond === undefined || wait === 0 ? undefined : tooManyStarts(startsPerSecond, wait);
}

/** Takes a start by the limits that all processes count in the table. Returns the limit that is reached. */
async function takeInTable(ports: Needs, { id, limits }: Limited): Promise<Excess | undefined> {
  const { activeRuns: mostActive, startsPerSecond } = limitsInTable(ports.settings, limits);
  if (mostActive !== undefined && !(await samples.take(ports, id, mostActive))) return tooManyActive(mostActive);
  const wait = startsPerSecond === undefined ? 0 : await blocks.take(ports, id, startsPerSecond);
  return startsPerSecond === undefined || wait === 0 ? undefined : tooManyStarts(startsPerSecond, wait);
}

/** Takes a start for a namespace, or returns the limit that is reached. A namespace without limits costs no call. */
async function takeStart(ports: Needs, namespace: Limited): Promise<Excess | undefined> {
  return takeHere(ports, namespace.id) ?? (await takeInTable(ports, namespace));
}

/** Takes a start, and waits for it if the namespace starts too many runs a second. */
async function awaitStart(ports: Needs, namespace: Limited): Promise<Excess | undefined> {
  for (let waited = 0; ; ) {
    const excess = await takeStart(ports, namespace);
    if (excess === undefined) return undefined;
    if (excess.code !== 'limits.startRate' || waited + excess.retryMs > PATIENCE_MS) {
      ports.meter?.note({ StartsRejected: 1 });
      return excess;
    }
    await sleep(excess.retryMs);
    waited += excess.retryMs;
  }
}

/** Admits a run that a request starts. Throws `too-many`, with the seconds after which a new attempt may succeed. */
export async function needStart(ports: Needs, namespace: Limited): Promise<void> {
  const excess = await takeStart(ports, namespace);
  if (excess === undefined) return;
  ports.meter?.note({ StartsRejected: 1 });
  throw tooMany(excess.message, Math.ceil(excess.retryMs / 1000));
}

/** Admits a run that an event or a schedule starts, which may wait for its turn. Throws `too-many`. */
export async function awaitTurn(ports: Needs, namespace: Limited): Promise<void> {
  const excess = await awaitStart(ports, namespace);
  if (excess !== undefined) throw tooMany(excess.message, Math.ceil(excess.retryMs / 1000));
}

/**
 * Counts a run that begins where it is started until it is stored; returns a function that ends that, once. Requests that
 * come at the same time are all admitted before one of their runs is counted, so a run without a caller is admitted again.
 * Throws `too-many`.
 */
export function countUntilStored({ settings, meter }: Needs, run: Run): () => void {
  const { activeRuns: most = Number.POSITIVE_INFINITY, countedBy } = settings.limits ?? {};
  const isFull = run.parent === undefined && countedBy !== 'table' && activeRuns(run.namespaceId) >= most;
  if (!isFull) return countBeginning(run);
  meter?.note({ StartsRejected: 1 });
  const { message, retryMs } = tooManyActive(most);
  throw tooMany(message, Math.ceil(retryMs / 1000));
}

/** The run at the beginning of a chain of calls. */
export const rootOf = ({ id, root }: Pick<Run, 'id' | 'root'>): string => root ?? id;

/**
 * Admits a child of a run; the step waits for its turn. Throws the catchable `limits.descendants`, `limits.activeRuns` and
 * `limits.startRate`.
 */
export async function admitChild(ports: Needs, caller: Pick<Run, 'id' | 'root'>, namespace: Limited): Promise<void> {
  const { descendants: most } = ports.settings.limits ?? {};
  if (most !== undefined && (await countDescendant(ports, rootOf(caller))) > most) {
    ports.meter?.note({ StartsRejected: 1 });
    throw failure('limits.descendants', `the run '${rootOf(caller)}' has ${most} descendants already`);
  }
  const excess = await awaitStart(ports, namespace);
  if (excess !== undefined) throw failure(excess.code, excess.message);
}
