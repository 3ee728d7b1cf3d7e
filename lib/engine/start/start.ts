import { mayRunInPlace } from '../../compiler/plan/execution.ts';
import { ServiceError } from '../../domain/errors.ts';
import * as claims from '../../domain/instances/idempotency-keys.ts';
import * as runs from '../../domain/runs/runs.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import * as workflows from '../../domain/tree/workflows.ts';
import { Conflict } from '../../ports/table.ts';
import { carrierOf } from '../executions/machines.ts';
import type { EnginePorts, KeeperPorts, RunnerPorts } from '../ports.ts';
import { repair } from '../recovery/repair.ts';
import { heard } from '../run/endings.ts';
import { newRun } from '../run/new-run.ts';
import { runInPlace } from '../step/advance.ts';

export interface Invocation {
  readonly namespace: string;
  readonly path: string;
  readonly ref: string;
  readonly input: Uint8Array;
  /** The same key of the same workflow is the same run, for 24 hours. */
  readonly key?: string;
}

/** A run, and whether an earlier request with the same key had begun it. */
export interface Started {
  readonly run: runs.Run;
  readonly existing: boolean;
}

/** A wait-free run stays in the request for this long; after that a state machine takes over. */
const DIRECT_MS = 5_000;
const LONGEST_PAUSE_MS = 1_000;

const EVENT_STARTS = new Set(['event', 'eventsXor', 'eventsAnd']);

async function openInvocable(
  ports: EnginePorts,
  { namespace, path, ref }: Invocation,
  seed: string,
): Promise<workflows.Opened> {
  const opened = await workflows.open(ports, namespace, path, ref, seed);
  const { plan } = opened.revision;
  if (plan === undefined) throw new ServiceError('refused', `cannot parse workflow '${opened.node.path}'`);
  if (EVENT_STARTS.has(plan.start.type)) {
    throw new ServiceError('refused', 'cannot manually invoke event-based workflow');
  }
  if (!opened.node.live) throw new ServiceError('refused', 'cannot execute disabled workflow');
  return opened;
}

/**
 * Hands a run to the state machine of its revision: stores it, then starts the execution named after it. Another
 * request with the same key may have stored it meanwhile.
 */
async function launch(ports: EnginePorts, { revision }: workflows.Opened, run: runs.Run): Promise<Started> {
  const carrier = await carrierOf(ports, revision, run);
  try {
    const stored = await runs.commit(ports, { ...run, ...carrier, seq: run.seq + 1 });
    await ports.executions.start(carrier.machine, stored.id, { run: stored.id });
    return { run: stored, existing: false };
  } catch (error) {
    const first = error instanceof Conflict ? await runs.find(ports, run.id) : undefined;
    if (first === undefined) throw error;
    // It may be our own, stored by a call whose answer got lost.
    return resume(ports, first);
  }
}

/** The run of an earlier request, which may have got no further than to store it. */
async function resume(ports: EnginePorts, earlier: runs.Run): Promise<Started> {
  const { status, step, machine, id } = earlier;
  const isUnbegun = status === 'pending' && step === 0 && machine !== '';
  if (isUnbegun) await ports.executions.start(machine, runs.executionOf(earlier), { run: id });
  return { run: earlier, existing: true };
}

interface Prepared {
  readonly opened: workflows.Opened;
  /** The run to begin, not stored yet. */
  readonly run: runs.Run;
  /** The one that an earlier request with the same key began. */
  readonly earlier: runs.Run | undefined;
}

async function prepare(ports: EnginePorts, invocation: Invocation): Promise<Prepared> {
  const { input, key } = invocation;
  const own = ports.clock.uuid();
  // What divides starts among revisions is the id, or the key, under which a request comes again.
  const opened = await openInvocable(ports, invocation, key ?? own);
  const run = { ...newRun(ports, opened, input, 'api'), id: own };
  if (key === undefined) return { opened, run, earlier: undefined };
  const id = await claims.claim(ports, opened.node.id, key, run.id);
  // A request may have claimed the key and got no further.
  return { opened, run: { ...run, id }, earlier: id === run.id ? undefined : await runs.find(ports, id) };
}

/** Starts a run and answers at once. Throws what opening the workflow throws, and `refused`. */
export async function execute(ports: EnginePorts, invocation: Invocation): Promise<Started> {
  const { opened, run, earlier } = await prepare(ports, invocation);
  return earlier === undefined ? launch(ports, opened, run) : resume(ports, earlier);
}

/**
 * Starts a run and answers its end. A run that need not wait happens right here and is stored once, when it is over:
 * it becomes visible and final at one moment.
 */
export async function executeAndWait(ports: RunnerPorts, invocation: Invocation): Promise<Started> {
  const { opened, run, earlier } = await prepare(ports, invocation);
  if (earlier !== undefined) {
    const resumed = await resume(ports, earlier);
    return { ...resumed, run: await ended(ports, resumed.run) };
  }
  const here = await runHere(ports, opened, run);
  if (here === undefined) {
    const { run: launched, existing } = await launch(ports, opened, run);
    return { run: await ended(ports, launched), existing };
  }
  const over = here.status === 'pending' ? await ended(ports, await handOver(ports, opened, here)) : here;
  return { run: over, existing: false };
}

/** The run as far as it comes here; undefined when it is sure to wait, and so is begun in a machine. */
async function runHere(
  ports: RunnerPorts,
  { revision }: workflows.Opened,
  run: runs.Run,
): Promise<runs.Run | undefined> {
  if (!mayRunInPlace(revisions.planOf(revision))) return undefined;
  return runInPlace(ports)(run, revision, ports.clock.now() + DIRECT_MS);
}

/** Lets a state machine finish what the request began; a container that the run called may write into its log meanwhile. */
async function handOver(ports: EnginePorts, opened: workflows.Opened, run: runs.Run): Promise<runs.Run> {
  let current = run;
  while (current.status === 'pending' && current.machine === '') {
    const carrier = await carrierOf(ports, opened.revision, current);
    try {
      current = await runs.commit(ports, { ...current, ...carrier, seq: current.seq + 1 });
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      const now = await runs.find(ports, run.id);
      if (now === undefined) return current;
      current = now;
    }
  }
  if (current.machine !== '')
    await ports.executions.start(current.machine, runs.executionOf(current), { run: current.id });
  return current;
}

/** Waits for the end of a run, looking ever more rarely. */
async function ended(ports: KeeperPorts, run: runs.Run): Promise<runs.Run> {
  if (run.status !== 'pending') return run;
  for (let pause = 50; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    await heard(run.id, pause);
    const now = await runs.find(ports, run.id);
    if (now === undefined) throw new ServiceError('not-found', 'instance not found');
    if (now.status !== 'pending') return now;
    await repair(ports, now);
  }
}
