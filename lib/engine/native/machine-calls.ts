import { isNativeCall, type Run } from '../../domain/runs/runs.ts';
import { callTraceparent } from '../../domain/runs/spans.ts';
import { isObject } from '../../language/json.ts';
import { parseJson } from '../../language/json-numbers.ts';
import { sentBy } from '../lambdas/invoking.ts';
import {
  type MachineInvocation,
  type MachineReply,
  outcomeOfMachine,
  toMachineInvocation,
} from '../lambdas/machine.ts';
import type { PreparedInvocation } from '../lambdas/preparation.ts';
import type { RunnerPorts } from '../ports.ts';
import { openInput } from './inputs.ts';
import { commitOutcome, type NativeChild } from './serving.ts';

/** Whether a child is a call that a state machine of its own makes (`lib/compiler/emit/lambda-call.ts`). */
export const isMadeByMachine = (child: Run): child is NativeChild =>
  isNativeCall(child) && child.callee.byMachine === true;

async function invocationOf(ports: RunnerPorts, child: NativeChild): Promise<PreparedInvocation> {
  return parseJson(Buffer.from(await openInput(ports, child)).toString()) as PreparedInvocation;
}

/** Returns the invocation that the machine of a pending child makes. */
export async function prepareForMachine(ports: RunnerPorts, child: NativeChild): Promise<MachineInvocation> {
  const { id, root, trace, callee, site } = child;
  const traceparent = callTraceparent({ id: site.caller, root, trace }, id);
  const context = { key: callee.key, traceparent };
  return toMachineInvocation(context, await invocationOf(ports, child));
}

/** Commits the outcome of a pending child by the reply of its machine. Returns the child as it ended. */
export async function takeFromMachine(ports: RunnerPorts, child: NativeChild, reply: unknown): Promise<Run> {
  const invocation = await invocationOf(ports, child);
  const received = (isObject(reply) ? reply : {}) as MachineReply;
  const outcome = outcomeOfMachine({ brand: ports.settings.brand, invocation }, received);
  return commitOutcome(ports, child, { ...outcome, sent: sentBy(invocation) });
}
