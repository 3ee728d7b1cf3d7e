import { hasNoLikelyWait } from '../../../compiler/plan/execution.ts';
import type { ActionPlan, Plan } from '../../../compiler/plan/plan.ts';
import type { SubflowPlan } from '../../../compiler/plan/subflows.ts';
import { actionsOf } from '../../../compiler/plan/traits.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { storedCallPath } from '../../../domain/runs/places.ts';
import type { Run } from '../../../domain/runs/runs.ts';
import type { SettingsSnapshot } from '../../../domain/runs/waits.ts';
import { planOf } from '../../../domain/tree/revisions.ts';
import * as workflows from '../../../domain/tree/workflows.ts';
import { omitUndefined } from '../../../language/omit-undefined.ts';
import { leased } from '../../../ports/table.ts';
import { failure, internalFailure, StateError } from '../../evaluation/failures.ts';
import type { SecretReader } from '../../evaluation/secrets.ts';
import { needChildStart, rootOf } from '../../limits/starts.ts';
import type { EnginePorts, RunnerPorts } from '../../ports.ts';
import { invocationProblem } from '../../run/invocability.ts';
import { newRun, type Startable } from '../../run/new-run.ts';
import { fitInput, InputError } from '../../run/schemas.ts';
import { resolvePath } from '../../variables/tree-files.ts';
import { type Callee, type CallInput, idOfCall, type PreparedCall, parentOf } from './callee.ts';
import { storeChild } from './children.ts';
import { choosePath } from './chosen-subflow.ts';
import { evaluateInput } from './inputs.ts';

/** The deepest nesting of subflows: it stops a workflow that calls itself. */
const MAX_DEPTH = 25;

/** A child that is begun in place has at least this long, however close the end of its caller's batch is. */
const MIN_CHILD_MS = 1000;

const PROBLEM_CODES = { invalid: 'workflow.invalid', forbidden: 'workflow.invoke' } as const;

async function openWorkflow(ports: EnginePorts, caller: Run, workflow: string): Promise<Startable> {
  const [named = '', ref = ''] = workflow.split(':');
  const path = resolvePath(caller.path, named);
  if (caller.depth >= MAX_DEPTH) {
    throw failure('workflow.invoke', `subflows are nested deeper than ${MAX_DEPTH}: '${path}' is not called`);
  }
  // The seed makes a repeated step call the same revision again.
  const seed = `${caller.id} ${caller.step}`;
  const readAt = ports.clock.now();
  const opened = await workflows
    .open({ table: leased(ports.table), blobs: ports.blobs }, caller.namespace, path, { ref, seed })
    .catch((error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
      throw failure('workflow.notfound', `workflow not found: ${error.message}`);
    });
  const problem = invocationProblem(opened);
  if (problem !== undefined) throw failure(PROBLEM_CODES[problem.kind], problem.message);
  return { ...opened, readAt };
}

/** A run that an alert has started calls none that sends alerts: each of these would start the next one. */
function asCalledBy(caller: Run, { alerts, ...settings }: SettingsSnapshot): SettingsSnapshot {
  return { ...settings, ...(caller.settings.alerts === true && alerts === true ? { alerts } : {}) };
}

async function newChild(ports: RunnerPorts, opened: Startable, call: PreparedCall): Promise<Run> {
  const { caller, key, input } = call;
  const { run, origin } = caller;
  await needChildStart(ports, run, opened.namespace);
  const made = newRun(ports, opened, input.input, `instance:${run.id}`);
  const child = await fitInput(ports, planOf(opened.revision), made).catch((error: unknown) => {
    throw error instanceof InputError ? failure('input.invalid', error.message) : error;
  });
  return {
    ...child,
    settings: asCalledBy(run, child.settings),
    id: idOfCall(call),
    updated: origin,
    root: rootOf(run),
    ...omitUndefined({ callPath: storedCallPath(run), trace: run.trace }),
    ...(caller.isLoop ? { loopIndex: key.i } : {}),
    depth: run.depth + 1,
    threads: run.threads,
    parent: parentOf(call),
  };
}

/** The plan of a workflow that may run within the step of its caller; undefined for one that is likely to wait. */
function planInPlace({ revision: { plan } }: Startable): Plan | undefined {
  return plan !== undefined && hasNoLikelyWait(plan) ? plan : undefined;
}

const makesCalls = (plan: Plan): boolean => Object.values(plan.states).some(({ work }) => actionsOf(work).length > 0);

/** What distinguishes a subflow of a fixed path from one whose path is computed. */
interface SubflowParts extends Pick<Callee, 'action' | 'takesLong' | 'prepare'> {
  /** The workflow of a call, by its input. */
  readonly openedFor: (input: CallInput) => Startable;
}

const subflowCallee = ({ openedFor, ...parts }: SubflowParts): Callee => ({
  ...parts,
  kind: 'subflow',
  isNative: false,
  newChild: (ports, call) => newChild(ports, openedFor(call.input), call),
  begin: ({ ports, tools }, child, input) => {
    const opened = openedFor(input);
    if (planInPlace(opened) === undefined) return storeChild(ports, child);
    return tools.runInPlace(child, opened.revision, Math.max(tools.until, ports.clock.now() + MIN_CHILD_MS));
  },
  isOf: ({ kind, path }, input) => kind === 'workflow' && path === openedFor(input).node.path,
});

const inputOf = async (action: ActionPlan, data: unknown, readSecrets: SecretReader): Promise<CallInput> => ({
  input: await evaluateInput(action, data, readSecrets),
  files: [],
});

/** Throws the catchable `subflow.notFound` in place of `workflow.notfound`: the path is a value of the run. */
function choiceFailure(error: unknown): never {
  const isMissing = error instanceof StateError && error.code === 'workflow.notfound';
  throw isMissing ? failure('subflow.notFound', error.message) : error;
}

/** The callee of a subflow whose path is computed. Each call opens its workflow; calls of the same one open it once. */
function computedSubflow(ports: RunnerPorts, caller: Run, plan: SubflowPlan, action: ActionPlan): Callee {
  const known = new Map<string, Promise<Startable>>();
  const open = (path: string): Promise<Startable> => {
    const opened = known.get(path) ?? openWorkflow(ports, caller, path).catch(choiceFailure);
    known.set(path, opened);
    return opened;
  };
  return subflowCallee({
    action,
    // The workflow is not known before its call: it may make calls.
    takesLong: true,
    openedFor: ({ chosen }) => {
      if (chosen === undefined)
        throw internalFailure(`the workflow of the function '${action.function}' is not chosen`);
      return chosen;
    },
    prepare: async (data, readSecrets) => ({
      chosen: await open(await choosePath(caller, plan, data)),
      ...(await inputOf(action, data, readSecrets)),
    }),
  });
}

/**
 * The callee of a subflow function. Throws the uncatchable `workflow.notfound`, `.invalid` and `.invoke` for a workflow
 * that cannot be called; where the path is computed, its call throws them, and for the first the catchable
 * `subflow.notFound`.
 */
export async function openSubflow(
  ports: RunnerPorts,
  caller: Run,
  called: SubflowPlan,
  action: ActionPlan,
): Promise<Callee> {
  if (called.allowed !== undefined) return computedSubflow(ports, caller, called, action);
  const opened = await openWorkflow(ports, caller, called.workflow);
  const plan = planInPlace(opened);
  return subflowCallee({
    action,
    takesLong: plan !== undefined && makesCalls(plan),
    openedFor: () => opened,
    prepare: (data, readSecrets) => inputOf(action, data, readSecrets),
  });
}
