import { type NativeImage, onlyComputes, readsFiles } from '../../../compiler/plan/native-images.ts';
import type { ActionPlan } from '../../../compiler/plan/plan.ts';
import type { NativeCallee } from '../../../domain/runs/calls.ts';
import { type Call, isNativeCall, type Run } from '../../../domain/runs/runs.ts';
import { toJson } from '../../../language/json.ts';
import { admitCall } from '../../admission/admission.ts';
import { leaveHere, takeHere } from '../../admission/call-places.ts';
import { filesOf, readFiles } from '../../containers/files.ts';
import { evaluate } from '../../evaluation/evaluation.ts';
import { internalFailure } from '../../evaluation/failures.ts';
import { evaluateWithSecrets } from '../../evaluation/secrets.ts';
import { rootOf } from '../../limits/starts.ts';
import type { NativeName } from '../../native/functions.ts';
import type { ImageInput } from '../../native/images/call.ts';
import { sealInput } from '../../native/inputs.ts';
import { callInPlace } from '../../native/serving.ts';
import type { RunnerPorts } from '../../ports.ts';
import { type Callee, keyOfCall } from './callee.ts';
import { storeChild } from './children.ts';
import { newCall } from './stored-call.ts';

/** A call that may take longer is made by the machine: a step commits within the lease of its run. */
const MAX_IN_PLACE_MS = 30_000;

/** Makes a call in place if the limits of its function let it begin now; else it is stored, and waits. */
async function withPlace(ports: RunnerPorts, child: Call, ms: number, make: () => Promise<Run>): Promise<Run> {
  const { limits } = child.site;
  if (limits === undefined) return make();
  const call = { child, limits, ms };
  const taken = await takeHere(ports, call);
  if (taken === undefined) return admitCall(ports, await sealInput(ports, child));
  try {
    return await make();
  } finally {
    if (taken.isLeased) await leaveHere(ports, call);
  }
}

/** What distinguishes the functions of Weft itself. */
interface NativeParts extends Pick<Callee, 'action' | 'takesLong' | 'prepare'> {
  readonly kind: NativeCallee['kind'];
  readonly function: NativeName;
}

/** A function of Weft itself as a callee. Its first attempt is made in place, and stored only if it does not succeed. */
export const nativeCallee = ({ kind, function: name, ...parts }: NativeParts): Callee => ({
  ...parts,
  kind,
  isNative: true,
  newChild: async (ports, call) => {
    const { byMachine } = call.input;
    const callee = { kind, function: name, key: keyOfCall(call), ...(byMachine === true ? { byMachine } : {}) };
    return { ...newCall(ports, call, callee), root: rootOf(call.caller.run) };
  },
  begin: ({ ports }, child, input, signal) => {
    if (!isNativeCall(child)) throw internalFailure(`the child '${child.id}' is no call of a function`);
    const { ms = MAX_IN_PLACE_MS } = input;
    if (ms > MAX_IN_PLACE_MS) return storeChild(ports, child);
    return withPlace(ports, child, ms, () =>
      callInPlace(ports, child, { signal, readFiles: (mostBytes) => readFiles(ports, child, mostBytes) }),
    );
  },
  isOf: (child) => isNativeCall(child) && child.callee.function === name,
});

/** How long the images may take that send requests, milliseconds: as long as their state waits. */
const REQUEST_MS = 14 * 60_000;
/** How long the images may take that compute, milliseconds. */
const COMPUTING_MS = 1_000;

/** The callee of a function whose image Weft serves itself. Its input is that of the container. */
export function openImage(image: NativeImage, action: ActionPlan): Callee {
  const isBrief = onlyComputes(image);
  return nativeCallee({
    kind: 'native',
    function: image,
    action,
    takesLong: !isBrief,
    prepare: async (data, readSecrets) => {
      const listed = action.secrets.length === 0 ? {} : await readSecrets(action.secrets);
      const files = readsFiles(image) ? await filesOf(action, data, readSecrets) : [];
      const input =
        action.secrets.length === 0
          ? await evaluate(action.input, data)
          : await evaluateWithSecrets(action.input, data, listed);
      const stored: ImageInput = { input, secrets: Object.values(listed) };
      return { input: Buffer.from(toJson(stored)), files, ms: isBrief ? COMPUTING_MS : REQUEST_MS };
    },
  });
}
