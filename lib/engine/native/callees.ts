import type { ActionPlan, FunctionPlan } from '../../compiler/plan/plan.ts';
import type { SecretReader } from '../evaluation/secrets.ts';
import { prepareRequest } from '../http/preparation.ts';
import type { NativeName } from './functions.ts';

/** The input of a call as bytes of JSON, and how long the call may take, milliseconds. */
export interface NativeInput {
  readonly input: Uint8Array;
  readonly ms: number;
}

/** A native function, ready to be called. */
export interface Native {
  readonly kind: 'native';
  readonly action: ActionPlan;
  readonly function: NativeName;
  /** Evaluates the input of a call over the data of the action. Throws StateError. */
  readonly prepare: (data: unknown, readSecrets: SecretReader) => Promise<NativeInput>;
}

/** The callee of an http function. */
export function openHttp(plan: Extract<FunctionPlan, { readonly type: 'http' }>, action: ActionPlan): Native {
  return {
    kind: 'native',
    action,
    function: 'http',
    prepare: async (data, readSecrets) => {
      const request = await prepareRequest(plan, action, data, readSecrets);
      return { input: Buffer.from(JSON.stringify(request)), ms: request.ms };
    },
  };
}
