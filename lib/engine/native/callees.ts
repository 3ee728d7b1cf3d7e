import { MAX_LAMBDA_MS_IN_STEP } from '../../compiler/plan/lambdas.ts';
import { type NativeImage, onlyComputes } from '../../compiler/plan/native-images.ts';
import type { ActionPlan, FunctionPlan } from '../../compiler/plan/plan.ts';
import { toJson } from '../../language/json.ts';
import { evaluate } from '../evaluation/evaluation.ts';
import { evaluateWithSecrets, type SecretReader } from '../evaluation/secrets.ts';
import { prepareRequest } from '../http/preparation.ts';
import { mayPassMachine } from '../lambdas/machine.ts';
import { prepareInvocation } from '../lambdas/preparation.ts';
import type { NativeName } from './functions.ts';
import type { ImageInput } from './images/call.ts';

/** The input of a call as bytes of JSON, and how long the call may take, milliseconds. */
export interface NativeInput {
  readonly input: Uint8Array;
  readonly ms: number;
  /** A state machine of its own makes the call, unless it is made in place. */
  readonly byMachine?: true;
}

/** A native function, ready to be called. */
export interface Native {
  readonly kind: 'native';
  readonly action: ActionPlan;
  readonly function: NativeName;
  /** It only computes, within a second. */
  readonly isBrief?: boolean;
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

/** The callee of a lambda function. Where its invocation may take long, a state machine makes it. */
export function openLambda(plan: Extract<FunctionPlan, { readonly type: 'lambda' }>, action: ActionPlan): Native {
  return {
    kind: 'native',
    action,
    function: 'lambda',
    prepare: async (data, readSecrets) => {
      const invocation = await prepareInvocation(plan, action, data, readSecrets);
      const { ms } = invocation;
      const input = { input: Buffer.from(toJson(invocation)), ms };
      return ms > MAX_LAMBDA_MS_IN_STEP && mayPassMachine(invocation) ? { ...input, byMachine: true } : input;
    },
  };
}

/** How long the images may take that send requests, milliseconds: as long as their state waits. */
const REQUEST_MS = 14 * 60_000;
/** How long the images may take that compute, milliseconds. */
const COMPUTING_MS = 1_000;

/** The callee of a function whose image Weft serves itself. Its input is that of the container. */
export function openImage(image: NativeImage, action: ActionPlan): Native {
  const isBrief = onlyComputes(image);
  const ms = isBrief ? COMPUTING_MS : REQUEST_MS;
  return {
    kind: 'native',
    action,
    function: image,
    ...(isBrief && { isBrief }),
    prepare: async (data, readSecrets) => {
      const listed = action.secrets.length === 0 ? {} : await readSecrets(action.secrets);
      const input =
        action.secrets.length === 0
          ? await evaluate(action.input, data)
          : await evaluateWithSecrets(action.input, data, listed);
      const stored: ImageInput = { input, secrets: Object.values(listed) };
      return { input: Buffer.from(toJson(stored)), ms };
    },
  };
}
