import { type CalleeKind, calleeKindOf } from '../../compiler/plan/execution.ts';
import { type NativeImage, nativeImageOfAction } from '../../compiler/plan/native-images.ts';
import type { ActionPlan, FunctionPlan, Plan } from '../../compiler/plan/plan.ts';
import { ServiceError } from '../../domain/errors.ts';
import type * as runs from '../../domain/runs/runs.ts';
import * as workflows from '../../domain/tree/workflows.ts';
import { leased } from '../../ports/table.ts';
import { openContainer, type Service } from '../containers/calls.ts';
import { failure, internalFailure } from '../evaluation/failures.ts';
import { type Native, openHttp, openImage, openLambda } from '../native/callees.ts';
import type { EnginePorts, RunnerPorts } from '../ports.ts';
import { invocationProblem } from '../run/invocability.ts';
import type { Startable } from '../run/new-run.ts';
import { resolvePath } from '../variables/tree-files.ts';
import { openWorker, type Worker } from '../workers/callees.ts';

/** The deepest nesting of subflows: it stops a workflow that calls itself. */
const MAX_DEPTH = 25;

/** A workflow to be called. */
interface Subflow {
  readonly kind: 'subflow';
  readonly opened: Startable;
  readonly action: ActionPlan;
}

/** The callee of an action. */
export type Callee = Subflow | Service | Native | Worker;

const PROBLEM_CODES = { invalid: 'workflow.invalid', forbidden: 'workflow.invoke' } as const;

function needInvocable(opened: workflows.Opened): void {
  const problem = invocationProblem(opened);
  if (problem !== undefined) throw failure(PROBLEM_CODES[problem.kind], problem.message);
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
  needInvocable(opened);
  return { kind: 'subflow', opened: { ...opened, readAt }, action };
}

/** The native image that an action calls, unless the settings of the run exclude them. */
const nativeImageFor = (
  { settings }: Pick<runs.Run, 'settings'>,
  called: FunctionPlan,
  action: ActionPlan,
): NativeImage | undefined => (settings.avoidsNative === true ? undefined : nativeImageOfAction(called, action));

/**
 * The kind of the callee of a run's action, by the plan alone; undefined for a function that the workflow does not
 * have. The service of a namespace counts as a container: only the stored service determines its kind.
 */
export function calleeKindFor(
  run: Pick<runs.Run, 'settings'>,
  plan: Pick<Plan, 'functions'>,
  action: ActionPlan,
): CalleeKind | undefined {
  const called = Object.hasOwn(plan.functions, action.function) ? plan.functions[action.function] : undefined;
  if (called === undefined) return undefined;
  return nativeImageFor(run, called, action) === undefined ? calleeKindOf(called) : 'native';
}

/**
 * Finds the callee of an action. Throws the uncatchable `workflow.notfound`, `.invalid` and `.invoke` for a subflow,
 * and a failure without a code for a container.
 */
export async function openCallee(
  ports: RunnerPorts,
  caller: runs.Run,
  plan: Plan,
  action: ActionPlan,
): Promise<Callee> {
  const called = needFunction(plan, action);
  if (called.type === 'subflow') return openSubflow(ports, caller, called, action);
  if (called.type === 'http') return openHttp(called, action);
  if (called.type === 'lambda') return openLambda(called, action);
  if (called.type === 'worker') return openWorker(called, action);
  const image = nativeImageFor(caller, called, action);
  if (image !== undefined) return openImage(image, action);
  return openContainer(ports, caller, called, action);
}
