import { emit, type MachineEntry } from '../../compiler/emit/emit.ts';
import { isWaitFree, mayBeExpress } from '../../compiler/plan/execution.ts';
import type { Plan } from '../../compiler/plan/plan.ts';
import type { Run } from '../../domain/runs/runs.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import type { Machine } from '../../ports/executions.ts';
import type { EnginePorts } from '../ports.ts';

/**
 * The machine of a revision: one machine a workflow and tier, a version a revision. Beside it stands one that takes up
 * runs in the middle; it is made when first needed.
 */
export function machineOf(workflow: string, plan: Plan, beginning: MachineEntry = 'start'): Machine {
  const { definition, tier } = emit(plan, beginning);
  const kind = beginning === 'start' ? tier.toLowerCase() : 'resume';
  return { name: `${workflow}-${kind}`, definition: JSON.stringify(definition), tier };
}

/** The machine that takes up a run of the revision wherever it stands. */
export function defineResuming(ports: EnginePorts, revision: revisions.Revision): Promise<string> {
  return ports.executions.define(machineOf(revision.workflow, revisions.planOf(revision), 'anywhere'));
}

/**
 * Sees to it that the revision's machine is defined. Called when a workflow is stored and again before a run starts,
 * so a definition that was throttled or cut short is made up for.
 */
export async function ensureMachine(ports: EnginePorts, revision: revisions.Revision): Promise<string> {
  if (revision.machine !== undefined) return revision.machine;
  const handle = await ports.executions.define(machineOf(revision.workflow, revisions.planOf(revision)));
  await revisions.keepMachine(ports, revision, handle);
  return handle;
}

/** The machine and the execution that are to carry a run from where it stands. */
export type Carrier = Pick<Run, 'machine' | 'executions' | 'brief'>;

/** Who carries a run that has no execution yet: one that can wait if the run stands at a wait already. */
export async function carrierOf(ports: EnginePorts, revision: revisions.Revision, run: Run): Promise<Carrier> {
  const isBrief = mayBeExpress(revisions.planOf(revision));
  const waits = run.pause?.isWaiting === true;
  const machine = isBrief && waits ? await defineResuming(ports, revision) : await ensureMachine(ports, revision);
  return { machine, executions: 1, brief: isBrief && !waits };
}

/**
 * What runs a revision, for people: its machine, the plan that the machine's tasks work through, and where the machine
 * cannot wait but the workflow may, the one that takes a waiting run up.
 */
export function showMachines(revision: revisions.Revision) {
  const plan = revisions.planOf(revision);
  const { tier, definition } = emit(plan);
  const mayWait = tier === 'EXPRESS' && !isWaitFree(plan);
  return { tier, definition, ...(mayWait ? { resumes: emit(plan, 'anywhere').definition } : {}), plan };
}
