import { CONTAINER_CALL } from '../../compiler/emit/container-call.ts';
import { DELAYED_STEP } from '../../compiler/emit/delayed-step.ts';
import { HELD_RUN } from '../../compiler/emit/held-run.ts';
import { LAMBDA_CALL } from '../../compiler/emit/lambda-call.ts';
import { type Call, isNativeCall, isQueued, type Run } from '../../domain/runs/runs.ts';
import { sha256 } from '../../domain/storage/ids.ts';
import { findShared, keepShared } from '../../domain/tree/revisions.ts';
import { type Executions, NoMachineError } from '../../ports/executions.ts';
import type { EnginePorts } from '../ports.ts';

/** The execution that drives a run: the version of the machine, the number of the execution, its tier, its beginning. */
export type ExecutionHandle = Pick<Run, 'machine' | 'executions' | 'express' | 'entryWait'> &
  Partial<Pick<Run, 'wait'>>;

/** The machines that make calls of their own, hold runs back or call a step later, by their names. */
const MACHINES = {
  'service-call': { definition: CONTAINER_CALL, tier: 'STANDARD' },
  'lambda-call': { definition: LAMBDA_CALL, tier: 'STANDARD' },
  'held-run': { definition: HELD_RUN, tier: 'STANDARD' },
  'delayed-step': { definition: DELAYED_STEP, tier: 'EXPRESS' },
} as const;

type Name = keyof typeof MACHINES;
type Needs = Pick<EnginePorts, 'executions' | 'table'>;

/** The handles of these machines, by the port that defined them. */
const machines = new WeakMap<Executions, Map<string, Promise<string>>>();

/** The handle of a machine that all workflows share. `missing`: a handle that has no machine; it is defined again. */
function sharedMachine(ports: Needs, name: Name, missing?: string): Promise<string> {
  const { executions } = ports;
  const handles = machines.get(executions) ?? new Map<string, Promise<string>>();
  machines.set(executions, handles);
  const known = handles.get(name);
  if (known !== undefined && missing === undefined) return known;
  const defined = findOrDefine(ports, name, missing);
  handles.set(name, defined);
  defined.catch(() => handles.delete(name));
  return defined;
}

/** A definition costs a second of a quota, so the processes share its handle. */
async function findOrDefine(ports: Needs, name: Name, missing: string | undefined): Promise<string> {
  const { tier } = MACHINES[name];
  const definition = JSON.stringify(MACHINES[name].definition);
  const hash = sha256(definition);
  const stored = await findShared(ports, name, hash);
  if (stored !== undefined && stored !== missing) return stored;
  const handle = await ports.executions.define({ name, definition, tier });
  await keepShared(ports, name, { handle, definition: hash });
  return handle;
}

const machineOfCall = (call: Call): Name =>
  isNativeCall(call) && call.callee.byMachine === true ? 'lambda-call' : 'service-call';

/** The execution of a call that nothing waits for, or that its own machine makes. */
export async function callExecution(ports: Needs, call: Call): Promise<ExecutionHandle> {
  return { machine: await sharedMachine(ports, machineOfCall(call)), executions: 1, express: false, entryWait: 0 };
}

/** The execution of a call that was queued: one that held it back has ended. */
export const nextOfCall = async (ports: Needs, call: Call): Promise<ExecutionHandle> => ({
  ...(await callExecution(ports, call)),
  executions: call.executions + 1,
});

/** The next execution of a run that is held back before it begins. */
export async function heldExecution(
  ports: Needs & Pick<EnginePorts, 'clock'>,
  run: Run,
): Promise<ExecutionHandle & Pick<Run, 'executionBegan'>> {
  const machine = await sharedMachine(ports, 'held-run');
  return { machine, executions: run.executions + 1, express: false, entryWait: 0, executionBegan: ports.clock.now() };
}

/** The handle of the machine that calls a step later; as `sharedMachine`. */
export const delayedStepMachine = (ports: Needs, missing?: string): Promise<string> =>
  sharedMachine(ports, 'delayed-step', missing);

/** Defines the machine of a run again that all workflows share; undefined for a run that has none of them. */
export async function redefineShared(ports: Needs, run: Run): Promise<string | undefined> {
  if (isQueued(run)) return sharedMachine(ports, 'held-run', run.machine);
  if (run.kind === 'call') return sharedMachine(ports, machineOfCall(run), run.machine);
  return isDetached(run) ? delayedStepMachine(ports, run.machine) : undefined;
}

/** Whether the present execution of a run belongs to a detached wait. Other executions of the tier EXPRESS begin with a task. */
export const isDetached = ({ express, entryWait }: Pick<Run, 'express' | 'entryWait'>): boolean =>
  express && entryWait !== 0;

/** The input of an execution of that machine: seconds until the call, and the input of the steps function. */
export interface DelayedStep {
  readonly seconds: number;
  readonly step: object;
}

/** Calls the steps function after some seconds. The name of the execution begins with the id of the run. */
export async function stepLater(
  ports: Needs & Pick<EnginePorts, 'clock'>,
  run: string,
  input: DelayedStep,
): Promise<void> {
  const name = `${run}-${ports.clock.uuid()}`;
  const machine = await delayedStepMachine(ports);
  try {
    await ports.executions.start(machine, name, input);
  } catch (error) {
    if (!(error instanceof NoMachineError)) throw error;
    await ports.executions.start(await delayedStepMachine(ports, machine), name, input);
  }
}
