import { CONTAINER_CALL } from '../../compiler/emit/container-call.ts';
import { HELD_RUN } from '../../compiler/emit/held-run.ts';
import { LAMBDA_CALL } from '../../compiler/emit/lambda-call.ts';
import { type Call, isNativeCall, type Run } from '../../domain/runs/runs.ts';
import type { Executions } from '../../ports/executions.ts';
import type { EnginePorts } from '../ports.ts';
import type { ExecutionHandle } from './executions.ts';

/** The machines that make calls of their own or hold runs back, by their names. */
const DEFINITIONS = { 'service-call': CONTAINER_CALL, 'lambda-call': LAMBDA_CALL, 'held-run': HELD_RUN } as const;

/** The handles of these machines, by the port that defined them. */
const machines = new WeakMap<Executions, Map<string, Promise<string>>>();

function defineMachine(executions: Executions, name: keyof typeof DEFINITIONS): Promise<string> {
  const handles = machines.get(executions) ?? new Map<string, Promise<string>>();
  machines.set(executions, handles);
  const known = handles.get(name);
  if (known !== undefined) return known;
  const definition = JSON.stringify(DEFINITIONS[name]);
  const defined = executions.define({ name, definition, tier: 'STANDARD' });
  handles.set(name, defined);
  defined.catch(() => handles.delete(name));
  return defined;
}

/** The execution of a call that nothing waits for, or that its own machine makes. */
export async function callExecution(
  { executions }: Pick<EnginePorts, 'executions'>,
  call: Call,
): Promise<ExecutionHandle> {
  const name = isNativeCall(call) && call.callee.byMachine === true ? 'lambda-call' : 'service-call';
  return { machine: await defineMachine(executions, name), executions: 1, express: false, entryWait: 0 };
}

/** The execution of a call that was queued: one that held it back has ended. */
export const nextOfCall = async (ports: Pick<EnginePorts, 'executions'>, call: Call): Promise<ExecutionHandle> => ({
  ...(await callExecution(ports, call)),
  executions: call.executions + 1,
});

/** The next execution of a run that is held back before it begins. */
export async function heldExecution(
  { executions, clock }: Pick<EnginePorts, 'executions' | 'clock'>,
  run: Run,
): Promise<ExecutionHandle & Pick<Run, 'executionBegan'>> {
  const machine = await defineMachine(executions, 'held-run');
  return { machine, executions: run.executions + 1, express: false, entryWait: 0, executionBegan: clock.now() };
}
