import type { ActionPlan, FunctionPlan } from '../../../compiler/plan/plan.ts';
import { prepareRequest } from '../../http/preparation.ts';
import type { Callee } from './callee.ts';
import { nativeCallee } from './native.ts';

/** The callee of an http function. */
export const openHttp = (plan: Extract<FunctionPlan, { readonly type: 'http' }>, action: ActionPlan): Callee =>
  nativeCallee({
    kind: 'http',
    function: 'http',
    action,
    takesLong: true,
    prepare: async (data, readSecrets) => {
      const request = await prepareRequest(plan, action, data, readSecrets);
      return { input: Buffer.from(JSON.stringify(request)), files: [], ms: request.ms };
    },
  });
