import { ServiceError } from '../../../domain/errors.ts';
import { reserveRunId } from '../../../domain/instances/idempotency-keys.ts';
import * as runs from '../../../domain/runs/runs.ts';
import { spreadId } from '../../../domain/storage/ids.ts';
import { planOf } from '../../../domain/tree/revisions.ts';
import * as workflows from '../../../domain/tree/workflows.ts';
import type { Labels } from '../../../language/labels.ts';
import { leased } from '../../../ports/table.ts';
import { needStart } from '../../limits/starts.ts';
import type { EnginePorts } from '../../ports.ts';
import { invocationProblem } from '../../run/invocability.ts';
import { newRunInTurns, type Startable } from '../../run/new-run.ts';
import { needPlannedTime, runOfTick } from '../../run/planned-times.ts';
import { fitInput } from '../../run/schemas.ts';

/** A request to run a workflow. */
export interface Invocation {
  readonly namespace: string;
  readonly path: string;
  readonly ref: string;
  readonly input: Uint8Array;
  /** The idempotency key: for 24 hours, requests with the same key of the same workflow start one run. */
  readonly key?: string;
  /** The planned time for which the run is started, as the clock starts it, once; milliseconds since 1970. */
  readonly planned?: number;
  /** Labels of the run, besides those of the workflow. */
  readonly labels?: Labels;
  /** `traceparent` of the request. */
  readonly trace?: string;
  /** The invoker of the run, as its record shows it; `api` by default. */
  readonly invoker?: string;
}

/** An invocation that may be started. */
export interface Prepared {
  readonly opened: workflows.Opened;
  /** The run to start, not stored yet. */
  readonly run: runs.Run;
  /** The run that an earlier request with the same key started. */
  readonly earlier: runs.Run | undefined;
}

/**
 * Opens the workflow and makes its run. Throws what opening a workflow throws, `refused` for a workflow that cannot be
 * invoked, `malformed` for an input that cannot be instance data or does not match the schema of the workflow and for a time
 * that is no planned one, and `too-many` for a namespace at a limit.
 */
export async function prepare(ports: EnginePorts, invocation: Invocation): Promise<Prepared> {
  const { input, key, planned, invoker = planned === undefined ? 'api' : 'cron' } = invocation;
  const own = spreadId(ports.clock.uuid());
  // The seed divides starts among revisions; a repeated request has the same key and gets the same revision.
  const opened = await openInvocable(ports, invocation, key ?? own);
  if (planned !== undefined) needPlannedTime(planOf(opened.revision), opened.node.path, planned, ports.clock.now());
  await needStart(ports, opened.namespace);
  const trace = invocation.trace === undefined ? {} : { trace: invocation.trace };
  const labels = invocation.labels === undefined ? {} : { labels: invocation.labels };
  const made = { ...(await newRunInTurns(ports, opened, input, invoker)), id: own, ...labels, ...trace };
  const id = await idOf(ports, opened, invocation, own);
  const run = { ...made, id };
  // A request that stored the key may have crashed, or been rejected, before it stored the run.
  const earlier = id === own ? undefined : await runs.find(ports, id);
  if (earlier !== undefined) return { opened, run, earlier };
  return { opened, run: await fitInput(ports, planOf(opened.revision), run), earlier };
}

/** The id of a run: that of its planned time, or of its idempotency key, or `own`. */
async function idOf(
  ports: EnginePorts,
  { node }: Startable,
  { planned, key }: Invocation,
  own: string,
): Promise<string> {
  if (planned !== undefined) return runOfTick(node, planned);
  return key === undefined ? own : reserveRunId(ports, node.id, key, own);
}

async function openInvocable(
  ports: EnginePorts,
  { namespace, path, ref }: Invocation,
  seed: string,
): Promise<Startable> {
  const readAt = ports.clock.now();
  const opened = await workflows.open({ table: leased(ports.table), blobs: ports.blobs }, namespace, path, {
    ref,
    seed,
  });
  const problem = invocationProblem(opened);
  if (problem !== undefined) throw new ServiceError('refused', problem.message);
  return { ...opened, readAt };
}
