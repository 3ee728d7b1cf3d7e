import { isWaitFree, mayRunInPlace } from '../compiler/paths.ts';
import { ServiceError } from '../domain/errors.ts';
import * as revisions from '../domain/revisions.ts';
import * as runs from '../domain/runs.ts';
import * as workflows from '../domain/workflows.ts';
import { Conflict } from '../ports.ts';
import { advance, runInPlace } from './advance.ts';
import type { EnginePorts } from './draft.ts';
import { heard } from './endings.ts';
import { ensureMachine } from './machines.ts';
import { repair } from './repair.ts';
import { newRun } from './runs.ts';

export interface Invocation {
  readonly namespace: string;
  readonly path: string;
  readonly ref: string;
  readonly input: Uint8Array;
}

/** A wait-free run stays in the request for this long; after that a state machine takes over. */
const DIRECT_MS = 5_000;
const LONGEST_PAUSE_MS = 1_000;

const EVENT_STARTS = new Set(['event', 'eventsXor', 'eventsAnd']);

async function openInvocable(ports: EnginePorts, { namespace, path, ref }: Invocation): Promise<workflows.Opened> {
  const opened = await workflows.open(ports, namespace, path, ref);
  const { plan } = opened.revision;
  if (plan === undefined) throw new ServiceError('refused', `cannot parse workflow '${opened.node.path}'`);
  if (EVENT_STARTS.has(plan.start.type)) {
    throw new ServiceError('refused', 'cannot manually invoke event-based workflow');
  }
  if (!opened.node.live) throw new ServiceError('refused', 'cannot execute disabled workflow');
  return opened;
}

/** Hands a run to the state machine of its revision: stores it, then starts the execution named after it. */
async function launch(ports: EnginePorts, { revision }: workflows.Opened, run: runs.Run): Promise<runs.Run> {
  const machine = await ensureMachine(ports, revision);
  const stored = await runs.commit(ports, { ...run, seq: run.seq + 1, machine, executions: 1 });
  await ports.executions.start(machine, stored.id, { run: stored.id });
  return stored;
}

/** Starts a run and answers at once. Throws what opening the workflow throws, and `refused`. */
export async function execute(ports: EnginePorts, invocation: Invocation): Promise<runs.Run> {
  const opened = await openInvocable(ports, invocation);
  return launch(ports, opened, newRun(ports, opened, invocation.input, 'api'));
}

/**
 * Starts a run and answers its end. A run that need not wait happens right here and is stored once, when it is over:
 * it becomes visible and final at one moment.
 */
export async function executeAndWait(ports: EnginePorts, invocation: Invocation): Promise<runs.Run> {
  const opened = await openInvocable(ports, invocation);
  const run = newRun(ports, opened, invocation.input, 'api');
  const here = await runHere(ports, opened, run);
  if (here === undefined) return ended(ports, await launch(ports, opened, run));
  return here.status === 'pending' ? ended(ports, await handOver(ports, opened, here)) : here;
}

/** The run as far as it comes without waiting; undefined when it must be begun in a machine. */
async function runHere(
  ports: EnginePorts,
  { revision }: workflows.Opened,
  run: runs.Run,
): Promise<runs.Run | undefined> {
  const plan = revisions.planOf(revision);
  const until = ports.clock.now() + DIRECT_MS;
  if (isWaitFree(plan)) return advanceFirst(ports, run, revision, until);
  return mayRunInPlace(plan) ? runInPlace(ports)(run, revision, until) : undefined;
}

/** The id is new, so a conflict can only be with a first attempt of this very write whose answer was lost. */
async function advanceFirst(ports: EnginePorts, run: runs.Run, revision: revisions.Revision, until: number) {
  try {
    return await advance(ports, run, revision, until);
  } catch (error) {
    const stored = error instanceof Conflict ? await runs.find(ports, run.id) : undefined;
    if (stored === undefined) throw error;
    return stored;
  }
}

/** Lets a state machine finish what the request began. */
async function handOver(ports: EnginePorts, opened: workflows.Opened, run: runs.Run): Promise<runs.Run> {
  const machine = await ensureMachine(ports, opened.revision);
  const next = { ...run, seq: run.seq + 1, machine, executions: 1 };
  const stored = await runs.commit(ports, next).catch(async (error: unknown) => {
    if (!(error instanceof Conflict)) throw error;
    return (await runs.find(ports, run.id)) ?? run;
  });
  await ports.executions.start(machine, stored.id, { run: stored.id });
  return stored;
}

/** Waits for the end of a run, looking ever more rarely. */
async function ended(ports: EnginePorts, run: runs.Run): Promise<runs.Run> {
  for (let pause = 50; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    await heard(run.id, pause);
    const now = await runs.find(ports, run.id);
    if (now === undefined) throw new ServiceError('not-found', 'instance not found');
    if (now.status !== 'pending') return now;
    await repair(ports, now);
  }
}
