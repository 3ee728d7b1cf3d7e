import { TASK_ERROR } from '../../compiler/emit/task-protocol.ts';
import { ServiceError, tooMany } from '../../domain/errors.ts';
import type { Keeper } from '../../domain/metrics/kept-runs.ts';
import type { Namespace } from '../../domain/namespaces/namespaces.ts';
import { limitsInTable } from '../../domain/namespaces/start-limits.ts';
import { mostOf, noRoom } from '../../domain/quotas.ts';
import { activeRuns, countBeginning } from '../../domain/runs/active-runs.ts';
import type { Run } from '../../domain/runs/runs.ts';
import { failure } from '../evaluation/failures.ts';
import type { EnginePorts } from '../ports.ts';
import { ActiveRunSamples } from './active-run-samples.ts';
import { countDescendant } from './descendants.ts';
import { KeptRunSamples } from './kept-run-samples.ts';
import { StartBlocks } from './start-blocks.ts';
import { type Excess, type Start, StartQueue } from './start-queue.ts';
import { StartRate } from './start-rate.ts';

type Needs = Pick<EnginePorts, 'table' | 'clock' | 'settings' | 'meter'>;

/**
 * A subflow, an event or a schedule does not start a run yet: its namespace starts too many a second. It comes again after
 * `delayMs`. A step that throws it is called again by its machine.
 */
export class OverRateError extends Error {
  override readonly name = TASK_ERROR.again;
  /** Milliseconds. */
  readonly delayMs: number;

  constructor(message: string, delayMs: number) {
    super(message);
    this.delayMs = delayMs;
  }
}

/** A namespace with too many pending runs is asked again after this time. */
const ACTIVE_RETRY_MS = 5_000;

/** How long a request waits for its turn where one process serves all: elsewhere it would hold a process. */
const PATIENCE_MS = 5_000;

/** How long the step, event or tick of another start waits: it holds a place meanwhile. */
const INNER_PATIENCE_MS = 1_000;

const rate = new StartRate();
const samples = new ActiveRunSamples();
const blocks = new StartBlocks();
const kept = new KeptRunSamples();
const queue = new StartQueue();

/** A namespace, and the limits that it sets. */
type Limited = Keeper & Pick<Namespace, 'limits'>;

const excessOf = (perSecond: number | undefined, retryMs: number): Excess | undefined =>
  perSecond === undefined || retryMs === 0 ? undefined : { limit: 'startRate', perSecond, retryMs };

/** Takes a start by the limits of the installation, if this process counts them. Returns the limit that is reached. */
function takeHere({ settings, clock }: Needs, namespaceId: string): Excess | undefined {
  const { activeRuns: most, startsPerSecond, countedBy } = settings.limits ?? {};
  if (countedBy === 'table') return undefined;
  if (most !== undefined && activeRuns(namespaceId) >= most) return { limit: 'activeRuns', most };
  return excessOf(
    startsPerSecond,
    startsPerSecond === undefined ? 0 : rate.take(namespaceId, startsPerSecond, clock.now()),
  );
}

/** Takes a start by the limits that all processes count in the table. Returns the limit that is reached. */
async function takeInTable(ports: Needs, { id, limits }: Limited): Promise<Excess | undefined> {
  const { activeRuns: most, startsPerSecond } = limitsInTable(ports.settings, limits);
  if (most !== undefined && !(await samples.take(ports, id, most))) return { limit: 'activeRuns', most };
  return excessOf(startsPerSecond, startsPerSecond === undefined ? 0 : await blocks.take(ports, id, startsPerSecond));
}

/** Takes a start for a namespace, or returns the limit that is reached. A namespace that is far from its limits costs no call. */
async function takeStart(
  ports: Needs,
  namespace: Limited,
  how: Pick<Start, 'isInner' | 'patienceMs'>,
): Promise<Excess | undefined> {
  const most = mostOf(ports.settings, 'runs', namespace.limits);
  if (!(await kept.take(ports, namespace, most))) return { limit: 'runs', most };
  const take = async () => takeHere(ports, namespace.id) ?? (await takeInTable(ports, namespace));
  return queue.take(ports.clock, { namespaceId: namespace.id, ...how, take });
}

function messageOf(excess: Excess): string {
  if (excess.limit === 'startRate') return `the namespace starts more than ${excess.perSecond} runs a second`;
  return excess.limit === 'runs' ? noRoom('runs', excess.most) : `the namespace has ${excess.most} active runs`;
}

/** Rejects a start with the seconds after which a new attempt may succeed. */
function rejectionOf({ meter }: Pick<Needs, 'meter'>, excess: Excess): ServiceError {
  meter?.note({ StartsRejected: 1 });
  if (excess.limit === 'runs') return new ServiceError('over-quota', messageOf(excess));
  const retryMs = excess.limit === 'startRate' ? excess.retryMs : ACTIVE_RETRY_MS;
  return tooMany(messageOf(excess), Math.ceil(retryMs / 1000));
}

/**
 * Admits a run that a request starts, which may wait for its turn. Throws `too-many`, with the seconds after which a new attempt
 * may succeed, and `over-quota` for a namespace that keeps too many runs.
 */
export async function needStart(ports: Needs, namespace: Limited): Promise<void> {
  const patienceMs = ports.settings.limits?.countedBy === 'table' ? 0 : PATIENCE_MS;
  const excess = await takeStart(ports, namespace, { isInner: false, patienceMs });
  if (excess !== undefined) throw rejectionOf(ports, excess);
}

/**
 * Takes a start for work that has begun. Returns the limit of active or kept runs if it is reached. Throws OverRateError while
 * the namespace starts too many runs a second.
 */
async function takeInner(
  ports: Needs,
  namespace: Limited,
): Promise<Extract<Excess, { readonly most: number }> | undefined> {
  const excess = await takeStart(ports, namespace, { isInner: true, patienceMs: INNER_PATIENCE_MS });
  if (excess?.limit !== 'startRate') return excess;
  throw new OverRateError(messageOf(excess), queue.putOff(ports.clock, namespace.id, excess));
}

/** Admits a run that an event or a schedule starts. Throws OverRateError, `too-many` and `over-quota`. */
export async function awaitTurn(ports: Needs, namespace: Limited): Promise<void> {
  const excess = await takeInner(ports, namespace);
  if (excess !== undefined) throw rejectionOf(ports, excess);
}

/**
 * Counts a run that begins where it is started until it is stored; returns a function that ends that, once. Requests that
 * come at the same time are all admitted before one of their runs is counted, so a run without a caller is admitted again.
 * Throws `too-many`.
 */
export function countUntilStored(ports: Needs, run: Run): () => void {
  const { activeRuns: most = Number.POSITIVE_INFINITY, countedBy } = ports.settings.limits ?? {};
  const isFull = run.parent === undefined && countedBy !== 'table' && activeRuns(run.namespaceId) >= most;
  if (!isFull) return countBeginning(run);
  throw rejectionOf(ports, { limit: 'activeRuns', most });
}

/** The run at the beginning of a chain of calls. */
export const rootOf = ({ id, root }: Pick<Run, 'id' | 'root'>): string => root ?? id;

/**
 * Admits a child of a run. Throws OverRateError while the namespace starts too many runs a second, and the catchable
 * `limits.descendants`, `limits.activeRuns` and `limits.runs`.
 */
export async function needChildStart(
  ports: Needs,
  caller: Pick<Run, 'id' | 'root'>,
  namespace: Limited,
): Promise<void> {
  const excess = await takeInner(ports, namespace);
  if (excess !== undefined) {
    ports.meter?.note({ StartsRejected: 1 });
    throw failure(`limits.${excess.limit}`, messageOf(excess));
  }
  const { descendants: most } = ports.settings.limits ?? {};
  if (most === undefined || (await countDescendant(ports, rootOf(caller))) <= most) return;
  ports.meter?.note({ StartsRejected: 1 });
  throw failure('limits.descendants', `the run '${rootOf(caller)}' has ${most} descendants already`);
}
