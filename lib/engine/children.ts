import type { ActionPlan, Plan } from '../compiler/plan.ts';
import { ServiceError } from '../domain/errors.ts';
import { derivedId } from '../domain/ids.ts';
import type { CallKey, Parent, Retries } from '../domain/pauses.ts';
import * as revisions from '../domain/revisions.ts';
import * as runs from '../domain/runs.ts';
import * as workflows from '../domain/workflows.ts';
import { addDuration, parseDuration } from '../language/durations.ts';
import { toJson } from '../language/json.ts';
import { Conflict } from '../ports.ts';
import type { EnginePorts } from './engine-ports.ts';
import { evaluate } from './evaluation.ts';
import { failure, internalFailure } from './failures.ts';
import { carrierOf } from './machines.ts';
import { newRun } from './runs.ts';

/** Subflows may call subflows this deep; a workflow that calls itself for ever is stopped here. */
const DEEPEST = 25;

const DEFAULT_RETRY_DELAY = 'PT5S';

/** A call to be made: of which workflow, with what. */
export interface Callee {
  readonly opened: workflows.Opened;
  readonly action: ActionPlan;
}

/** A path as a workflow names another: from the root, or from its own directory (reference, section 9). */
export function pathFrom(caller: string, named: string): { path: string; ref: string } {
  const [path = '', ref = ''] = named.split(':');
  const base = path.startsWith('/') ? [] : caller.split('/').slice(0, -1);
  const segments: string[] = [];
  for (const segment of [...base, ...path.split('/')]) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return { path: `/${segments.join('/')}`, ref };
}

const EVENT_STARTS = new Set(['event', 'eventsXor', 'eventsAnd']);

function needCallable({ node, revision }: workflows.Opened): void {
  if (revision.plan === undefined) throw failure('workflow.invalid', `cannot parse workflow '${node.path}'`);
  if (EVENT_STARTS.has(revision.plan.start.type)) {
    throw failure('workflow.invoke', 'cannot manually invoke event-based workflow');
  }
  if (!node.live) throw failure('workflow.invoke', 'cannot execute disabled workflow');
}

function needSubflow(plan: Plan, action: ActionPlan): string {
  const called = plan.functions[action.function];
  if (called?.type !== 'subflow') throw internalFailure(`the function '${action.function}' is no subflow`);
  return called.workflow;
}

/** Finds the workflow that an action calls. Throws the uncatchable `workflow.notfound`, `.invalid`, `.invoke`. */
export async function openCallee(
  ports: EnginePorts,
  caller: runs.Run,
  plan: Plan,
  action: ActionPlan,
): Promise<Callee> {
  const { path, ref } = pathFrom(caller.path, needSubflow(plan, action));
  if (caller.depth >= DEEPEST) {
    throw failure('workflow.invoke', `subflows are nested deeper than ${DEEPEST}: '${path}' is not called`);
  }
  // Repeated, the step calls the same revision again.
  const seed = `${caller.id} ${caller.step}`;
  const opened = await workflows.open(ports, caller.namespace, path, ref, seed).catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error;
    throw failure('workflow.notfound', `workflow not found: ${error.message}`);
  });
  needCallable(opened);
  return { opened, action };
}

function needSecrets({ secrets }: ActionPlan): void {
  const [first] = secrets;
  if (first !== undefined) throw failure('secrets.notFound', `secret '${first}' not found`);
}

/** The input of a call: bytes of JSON, evaluated over the data (reference, 2.1). */
export async function inputOf(action: ActionPlan, data: unknown): Promise<Uint8Array> {
  needSecrets(action);
  return Buffer.from(toJson(await evaluate(action.input, data)));
}

/** The retries of an action as numbers. */
export function retriesOf({ retries }: ActionPlan): Retries | undefined {
  if (retries === undefined) return undefined;
  const duration = parseDuration(retries.delay ?? DEFAULT_RETRY_DELAY);
  const delay = duration === undefined ? 5000 : addDuration(0, duration);
  return { codes: retries.codes, most: retries.maxAttempts, delay, multiplier: retries.multiplier || 1 };
}

/** The id of a child: the same call of the same step is the same child, however often the step is repeated. */
export function childId(caller: Pick<runs.Run, 'id' | 'step'>, origin: number, { i, k }: CallKey): string {
  return derivedId(origin, caller.id, caller.step, i, k);
}

/** What a caller says of itself to a child. */
export interface Calling {
  /** The caller as it stands: its id, step, depth and thread variables. */
  readonly caller: runs.Run;
  readonly origin: number;
  /** When it stops waiting, milliseconds since 1970. */
  readonly wake: number;
  readonly mode: 'and' | 'or';
}

function parentOf({ caller, wake, mode }: Calling, action: ActionPlan, call: CallKey, token: string): Parent {
  const retries = retriesOf(action);
  return {
    id: caller.id,
    i: call.i,
    k: call.k,
    mode,
    until: wake,
    token,
    ...(retries === undefined ? {} : { retries }),
  };
}

/** A child, not stored yet. */
export function newChild(
  ports: EnginePorts,
  { opened, action }: Callee,
  calling: Calling,
  call: CallKey,
  input: Uint8Array,
  token = '',
): runs.Run {
  const { caller, origin } = calling;
  return {
    ...newRun(ports, opened, input, `instance:${caller.id}`),
    id: childId(caller, origin, call),
    updated: origin,
    depth: caller.depth + 1,
    threads: caller.threads,
    parent: parentOf(calling, action, call, token),
  };
}

/** Stores a child that is to wait its turn; one that is stored already stays as it is. Answers the child as stored. */
export async function store(ports: EnginePorts, child: runs.Run): Promise<runs.Run> {
  try {
    return await runs.commit(ports, { ...child, seq: 1 });
  } catch (error) {
    const stored = error instanceof Conflict ? await runs.find(ports, child.id) : undefined;
    if (stored === undefined) throw error;
    return stored;
  }
}

/**
 * Starts an execution for a stored child, which answers the token when it is over. Safe to repeat with another token:
 * the last one counts.
 */
export async function launch(ports: EnginePorts, child: runs.Run, token: string): Promise<runs.Run> {
  let current: runs.Run | undefined = child;
  while (current?.status === 'pending') {
    const { parent } = current;
    const revision = await revisions.need(ports, current.workflowId, current.revision);
    const carrier = current.machine === '' ? await carrierOf(ports, revision, current) : {};
    const bound = parent === undefined ? {} : { parent: { ...parent, token } };
    try {
      current = await runs.commit(ports, { ...current, ...bound, ...carrier, seq: current.seq + 1 });
      await ports.executions.start(current.machine, runs.executionOf(current), { run: current.id });
      return current;
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      current = await runs.find(ports, child.id);
    }
  }
  return current ?? child;
}
