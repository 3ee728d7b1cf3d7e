import { type CalleeKind, calleeKindOf } from '../../../compiler/plan/execution.ts';
import { type NativeImage, nativeImageOfAction } from '../../../compiler/plan/native-images.ts';
import type { ActionPlan, FunctionPlan, Plan } from '../../../compiler/plan/plan.ts';
import type { Run } from '../../../domain/runs/runs.ts';
import { internalFailure } from '../../evaluation/failures.ts';
import type { RunnerPorts } from '../../ports.ts';
import type { Callee } from './callee.ts';
import { limited } from './limited.ts';
import { openSubflow } from './subflow.ts';

type Kind = FunctionPlan['type'];
type PlanOf<K extends Kind> = Extract<FunctionPlan, { readonly type: K }>;
type Open<K extends Kind> = (
  ports: RunnerPorts,
  caller: Run,
  called: PlanOf<K>,
  action: ActionPlan,
) => Callee | Promise<Callee>;

const openContainer = async (...call: Parameters<typeof import('./container.ts').openContainer>): Promise<Callee> =>
  (await import('./container.ts')).openContainer(...call);

/**
 * How the callee of each type of function is opened. Its code is loaded with its first call: together they would be 60 kB of a
 * function of Lambda that runs workflows.
 */
const OPEN: { readonly [K in Kind]: Open<K> } = {
  subflow: openSubflow,
  'knative-workflow': openContainer,
  'knative-namespace': openContainer,
  'knative-global': openContainer,
  http: async (_ports, _caller, called, action) => (await import('./http.ts')).openHttp(called, action),
  lambda: async (_ports, _caller, called, action) => (await import('./lambda.ts')).openLambda(called, action),
  mail: async (...call) => (await import('./mail.ts')).openMail(...call),
  worker: async (_ports, _caller, called, action) => (await import('./worker.ts')).openWorker(called, action),
};

function needFunction({ functions }: Plan, { function: name }: ActionPlan): FunctionPlan {
  const called = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (called === undefined) throw internalFailure(`the workflow has no function '${name}'`);
  return called;
}

/** The native image that an action calls, unless the settings of the run exclude them. */
const nativeImageFor = (
  { settings }: Pick<Run, 'settings'>,
  called: FunctionPlan,
  action: ActionPlan,
): NativeImage | undefined => (settings.avoidsNative === true ? undefined : nativeImageOfAction(called, action));

/**
 * The kind of the callee of a run's action, by the plan alone; undefined for a function that the workflow does not
 * have. The service of a namespace counts as a container: only the stored service determines its kind.
 */
export function calleeKindFor(
  run: Pick<Run, 'settings'>,
  plan: Pick<Plan, 'functions'>,
  action: ActionPlan,
): CalleeKind | undefined {
  const called = Object.hasOwn(plan.functions, action.function) ? plan.functions[action.function] : undefined;
  if (called === undefined) return undefined;
  return nativeImageFor(run, called, action) === undefined ? calleeKindOf(called) : 'native';
}

/** Finds the callee of an action. Throws what opening a callee of its kind throws. */
export async function openCallee(ports: RunnerPorts, caller: Run, plan: Plan, action: ActionPlan): Promise<Callee> {
  const called = needFunction(plan, action);
  const image = nativeImageFor(caller, called, action);
  const callee =
    image === undefined
      ? await (OPEN[called.type] as Open<Kind>)(ports, caller, called, action)
      : (await import('./native.ts')).openImage(image, action);
  return called.limits === undefined ? callee : limited(callee, called.limits);
}
