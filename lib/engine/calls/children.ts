import type { ActionPlan, FunctionPlan, Plan } from '../../compiler/plan/plan.ts';
import { ServiceError } from '../../domain/errors.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { CallKey, Parent, Retries } from '../../domain/runs/waits.ts';
import { derivedId } from '../../domain/storage/ids.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import * as workflows from '../../domain/tree/workflows.ts';
import { toJson } from '../../language/json.ts';
import { ConflictError } from '../../ports/table.ts';
import { addDuration, parseDuration } from '../../time/durations.ts';
import {
  newServiceCall,
  openContainer,
  type Service,
  type ServiceCalling,
  type ServiceGiven,
  serviceCarrier,
} from '../containers/calls.ts';
import { filesOf } from '../containers/files.ts';
import { evaluate } from '../evaluation/evaluation.ts';
import { failure, internalFailure } from '../evaluation/failures.ts';
import { evaluateWithSecrets, type SecretReader } from '../evaluation/secrets.ts';
import { type Carrier, carrierOf } from '../executions/machines.ts';
import type { EnginePorts, RunnerPorts } from '../ports.ts';
import { newRun } from '../run/new-run.ts';
import { pathFrom } from '../run/tree-files.ts';

/** Subflows may call subflows this deep; a workflow that calls itself for ever is stopped here. */
const DEEPEST = 25;

const DEFAULT_RETRY_DELAY = 'PT5S';

/** A workflow to be called. */
interface Subflow {
  readonly kind: 'subflow';
  readonly opened: workflows.Opened;
  readonly action: ActionPlan;
}

/** What an action calls. */
export type Callee = Subflow | Service;

const EVENT_STARTS = new Set(['event', 'eventsXor', 'eventsAnd']);

function needCallable({ node, revision }: workflows.Opened): void {
  if (revision.plan === undefined) throw failure('workflow.invalid', `cannot parse workflow '${node.path}'`);
  if (EVENT_STARTS.has(revision.plan.start.type)) {
    throw failure('workflow.invoke', 'cannot manually invoke event-based workflow');
  }
  if (!node.live) throw failure('workflow.invoke', 'cannot execute disabled workflow');
}

function needFunction({ functions }: Plan, { function: name }: ActionPlan): FunctionPlan {
  const called = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (called === undefined) throw internalFailure(`the workflow has no function '${name}'`);
  return called;
}

async function openSubflow(
  ports: EnginePorts,
  caller: runs.Run,
  { workflow }: Extract<FunctionPlan, { readonly type: 'subflow' }>,
  action: ActionPlan,
): Promise<Subflow> {
  const [named = '', ref = ''] = workflow.split(':');
  const path = pathFrom(caller.path, named);
  if (caller.depth >= DEEPEST) {
    throw failure('workflow.invoke', `subflows are nested deeper than ${DEEPEST}: '${path}' is not called`);
  }
  // Repeated, the step calls the same revision again.
  const seed = `${caller.id} ${caller.step}`;
  const opened = await workflows.open(ports, caller.namespace, path, { ref, seed }).catch((error: unknown) => {
    if (!(error instanceof ServiceError)) throw error;
    throw failure('workflow.notfound', `workflow not found: ${error.message}`);
  });
  needCallable(opened);
  return { kind: 'subflow', opened, action };
}

/**
 * Finds what an action calls. Throws the uncatchable `workflow.notfound`, `.invalid`, `.invoke` for a subflow, a failure
 * without a code for a container.
 */
export async function openCallee(
  ports: RunnerPorts,
  caller: runs.Run,
  plan: Plan,
  action: ActionPlan,
): Promise<Callee> {
  const called = needFunction(plan, action);
  if (called.type === 'subflow') return openSubflow(ports, caller, called, action);
  return openContainer(ports, caller, called, action);
}

/** What a call is given. */
type Given = ServiceGiven;

/**
 * The input of a call: bytes of JSON, evaluated over the data and the secrets that the action lists (reference, 2.1 and
 * 6.4). Throws `jq.badCommand`, `secrets.notFound`.
 */
export async function inputOf(action: ActionPlan, data: unknown, readSecrets: SecretReader): Promise<Uint8Array> {
  const { input, secrets } = action;
  if (secrets.length === 0) return Buffer.from(toJson(await evaluate(input, data)));
  return Buffer.from(toJson(await evaluateWithSecrets(input, data, await readSecrets(secrets))));
}

/** All that a call is given; a subflow gets no files. Throws what `inputOf` and `filesOf` throw. */
export async function givenOf({ kind, action }: Callee, data: unknown, readSecrets: SecretReader): Promise<Given> {
  const input = await inputOf(action, data, readSecrets);
  return { input, files: kind === 'service' ? await filesOf(action, data, readSecrets) : [] };
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
export interface Calling extends ServiceCalling {
  /** The caller as it stands: its id, step, depth and thread variables. */
  readonly caller: runs.Run;
  readonly origin: number;
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
export async function newChild(
  ports: RunnerPorts,
  callee: Callee,
  calling: Calling,
  call: CallKey,
  given: Given,
  token = '',
): Promise<runs.Run> {
  const { caller, origin } = calling;
  const parent = parentOf(calling, callee.action, call, token);
  const id = childId(caller, origin, call);
  if (callee.kind === 'service') return newServiceCall(ports, callee, calling, call, given, { id, origin, parent });
  return {
    ...newRun(ports, callee.opened, given.input, `instance:${caller.id}`),
    id,
    updated: origin,
    depth: caller.depth + 1,
    threads: caller.threads,
    parent,
  };
}

/** Stores a child that is to wait its turn; one that is stored already stays as it is. Answers the child as stored. */
export async function store(ports: EnginePorts, child: runs.Run): Promise<runs.Run> {
  try {
    return await runs.commit(ports, { ...child, seq: 1 });
  } catch (error) {
    const stored = error instanceof ConflictError ? await runs.find(ports, child.id) : undefined;
    if (stored === undefined) throw error;
    return stored;
  }
}

async function carrierFor(ports: EnginePorts, child: runs.Run): Promise<Carrier> {
  if (child.service !== undefined) return serviceCarrier(ports);
  return carrierOf(ports, await revisions.need(ports, child.workflowId, child.revision), child);
}

/**
 * Starts an execution for a stored child, which answers the token when it is over. Safe to repeat with another token:
 * the last one counts.
 */
export async function launch(ports: EnginePorts, child: runs.Run, token: string): Promise<runs.Run> {
  let current: runs.Run | undefined = child;
  while (current?.status === 'pending') {
    const { parent } = current;
    const carrier = current.machine === '' ? await carrierFor(ports, current) : {};
    const bound = parent === undefined ? {} : { parent: { ...parent, token } };
    try {
      current = await runs.commit(ports, { ...current, ...bound, ...carrier, seq: current.seq + 1 });
      await ports.executions.start(current.machine, runs.executionOf(current), { run: current.id });
      return current;
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      current = await runs.find(ports, child.id);
    }
  }
  return current ?? child;
}
