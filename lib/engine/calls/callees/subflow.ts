import { hasNoLikelyWait } from '../../../compiler/plan/execution.ts';
import type { ActionPlan, FunctionPlan } from '../../../compiler/plan/plan.ts';
import { actionsOf } from '../../../compiler/plan/traits.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { storedCallPath } from '../../../domain/runs/places.ts';
import type { Run } from '../../../domain/runs/runs.ts';
import type { SettingsSnapshot } from '../../../domain/runs/waits.ts';
import { planOf } from '../../../domain/tree/revisions.ts';
import * as workflows from '../../../domain/tree/workflows.ts';
import { omitUndefined } from '../../../language/omit-undefined.ts';
import { leased } from '../../../ports/table.ts';
import { failure } from '../../evaluation/failures.ts';
import { needChildStart, rootOf } from '../../limits/starts.ts';
import type { EnginePorts, RunnerPorts } from '../../ports.ts';
import { invocationProblem } from '../../run/invocability.ts';
import { newRun, type Startable } from '../../run/new-run.ts';
import { fitInput, InputError } from '../../run/schemas.ts';
import { resolvePath } from '../../variables/tree-files.ts';
import { type Callee, idOfCall, type PreparedCall, parentOf } from './callee.ts';
import { storeChild } from './children.ts';
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

/**
 * The callee of a subflow function. Throws the uncatchable `workflow.notfound`, `.invalid` and `.invoke` for a workflow
 * that cannot be called.
 */
export async function openSubflow(
  ports: RunnerPorts,
  caller: Run,
  { workflow }: Extract<FunctionPlan, { readonly type: 'subflow' }>,
  action: ActionPlan,
): Promise<Callee> {
  const opened = await openWorkflow(ports, caller, workflow);
  const { revision } = opened;
  const { plan } = revision;
  const runsHere = plan !== undefined && hasNoLikelyWait(plan);
  return {
    kind: 'subflow',
    action,
    takesLong: runsHere && Object.values(plan.states).some(({ work }) => actionsOf(work).length > 0),
    isNative: false,
    prepare: async (data, readSecrets) => ({ input: await evaluateInput(action, data, readSecrets), files: [] }),
    newChild: (given, call) => newChild(given, opened, call),
    begin: ({ ports: given, tools }, child) => {
      if (!runsHere) return storeChild(given, child);
      return tools.runInPlace(child, revision, Math.max(tools.until, given.clock.now() + MIN_CHILD_MS));
    },
    isOf: ({ kind, path }) => kind === 'workflow' && path === opened.node.path,
  };
}
