import { isWaitFree } from '../compiler/paths.ts';
import { ServiceError } from '../domain/errors.ts';
import * as runs from '../domain/runs.ts';
import * as workflows from '../domain/workflows.ts';
import { isObject } from '../language/json.ts';
import { Conflict } from '../ports.ts';
import { Draft, type EnginePorts } from './draft.ts';
import { heard } from './endings.ts';
import { ensureMachine } from './machines.ts';
import { repair } from './repair.ts';
import { advance } from './steps.ts';

export interface Invocation {
  readonly namespace: string;
  readonly path: string;
  readonly ref: string;
  readonly input: Uint8Array;
}

/** A wait-free run stays in the request for this long; after that a state machine takes over. */
const DIRECT_MS = 5_000;
const LONGEST_PAUSE_MS = 1_000;

/** The instance data of an input (rest-api reference, 6.1): an object as it is, else under the key `input`. */
export function toData(input: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(input));
    return isObject(value) ? value : { input: value };
  } catch {
    return { input: Buffer.from(input).toString('base64') };
  }
}

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

function newRun(ports: EnginePorts, { namespace, node, revision }: workflows.Opened, input: Uint8Array): runs.Run {
  const now = ports.clock.now();
  const run: runs.Run = {
    id: ports.clock.uuid(),
    namespaceId: namespace.id,
    namespace: namespace.name,
    workflowId: node.id,
    path: node.path,
    revision: revision.id,
    as: node.path,
    invoker: 'api',
    status: 'pending',
    code: '',
    message: '',
    created: now,
    updated: now,
    seq: 0,
    at: revision.plan?.entry ?? '',
    step: 0,
    flow: [],
    data: toData(input),
    input,
    interrupted: false,
    metadata: '',
    tail: [],
    flushed: 0,
    lastLine: 0,
    machine: '',
    executions: 0,
  };
  return run;
}

/** The run with its first log line, not stored yet. */
async function prepare(ports: EnginePorts, opened: workflows.Opened, input: Uint8Array): Promise<runs.Run> {
  const run = newRun(ports, opened, input);
  const draft = new Draft(ports, run);
  draft.log(`Preparing workflow triggered by ${run.invoker}.`, 'info', '');
  const { run: logged } = await draft.settle({});
  return { ...logged, seq: run.seq };
}

/** Hands a run to the state machine of its revision: stores it, then starts the execution named after it. */
async function launch(ports: EnginePorts, opened: workflows.Opened, run: runs.Run): Promise<runs.Run> {
  const machine = await ensureMachine(ports, opened.revision);
  const stored = await runs.commit(ports, { ...run, seq: run.seq + 1, machine, executions: 1 });
  await ports.executions.start(machine, stored.id, { run: stored.id });
  return stored;
}

/** Starts a run and answers at once. Throws what opening the workflow throws, and `refused`. */
export async function execute(ports: EnginePorts, invocation: Invocation): Promise<runs.Run> {
  const opened = await openInvocable(ports, invocation);
  return launch(ports, opened, await prepare(ports, opened, invocation.input));
}

/**
 * Starts a run and answers its end. A workflow that never waits runs right here and is stored once, when it is over:
 * it becomes visible and final at one moment.
 */
export async function executeAndWait(ports: EnginePorts, invocation: Invocation): Promise<runs.Run> {
  const opened = await openInvocable(ports, invocation);
  const run = await prepare(ports, opened, invocation.input);
  const isDirect = opened.revision.plan !== undefined && isWaitFree(opened.revision.plan);
  if (!isDirect) return ended(ports, await launch(ports, opened, run));
  const advanced = await advanceFirst(ports, run);
  return advanced.status === 'pending' ? ended(ports, await handOver(ports, opened, advanced)) : advanced;
}

/** The id is new, so a conflict can only be with a first attempt of this very write whose answer was lost. */
async function advanceFirst(ports: EnginePorts, run: runs.Run): Promise<runs.Run> {
  try {
    return await advance(ports, run, ports.clock.now() + DIRECT_MS);
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
