import { MAX_LAMBDA_MS_IN_STEP } from '../../../compiler/plan/lambdas.ts';
import type { ActionPlan, FunctionPlan } from '../../../compiler/plan/plan.ts';
import { toJson } from '../../../language/json.ts';
import { mayPassMachine } from '../../lambdas/machine.ts';
import { prepareInvocation } from '../../lambdas/preparation.ts';
import type { Callee } from './callee.ts';
import { nativeCallee } from './native.ts';

/** The callee of a lambda function. Where its invocation may take long, a state machine makes it. */
export const openLambda = (plan: Extract<FunctionPlan, { readonly type: 'lambda' }>, action: ActionPlan): Callee =>
  nativeCallee({
    kind: 'lambda',
    function: 'lambda',
    action,
    takesLong: true,
    prepare: async (data, readSecrets) => {
      const invocation = await prepareInvocation(plan, action, data, readSecrets);
      const { ms } = invocation;
      const input = { input: Buffer.from(toJson(invocation)), files: [], ms };
      return ms > MAX_LAMBDA_MS_IN_STEP && mayPassMachine(invocation) ? { ...input, byMachine: true } : input;
    },
  });
