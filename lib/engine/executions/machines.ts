import { emit, type MachineEntry } from '../../compiler/emit/emit.ts';
import { isWaitFree } from '../../compiler/plan/execution.ts';
import type { Plan } from '../../compiler/plan/plan.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import type { Machine } from '../../ports/executions.ts';
import type { EnginePorts } from '../ports.ts';

/**
 * The state machine of a revision. A workflow has one machine a tier, and each revision is a version of it. The machine
 * for `anywhere` resumes runs in the middle; it is defined when it is first needed.
 */
export function machineOf(workflow: string, plan: Plan, beginning: MachineEntry = 'start'): Machine {
  const { definition, tier } = emit(plan, beginning);
  const kind = beginning === 'start' ? tier.toLowerCase() : 'resume';
  return { name: `${workflow}-${kind}`, definition: JSON.stringify(definition), tier };
}

/** Defines the machine that resumes a run of the revision at any state. Returns its handle. */
export function defineResumingMachine(ports: EnginePorts, revision: revisions.Revision): Promise<string> {
  return ports.executions.define(machineOf(revision.workflow, revisions.planOf(revision), 'anywhere'));
}

/**
 * Defines the revision's machine unless that was done before. Returns its handle. It is called when a workflow is stored
 * and again before a run starts, so a definition that was throttled or interrupted is repeated.
 */
export async function ensureMachine(ports: EnginePorts, revision: revisions.Revision): Promise<string> {
  if (revision.machine !== undefined) return revision.machine;
  const handle = await ports.executions.define(machineOf(revision.workflow, revisions.planOf(revision)));
  await revisions.keepMachine(ports, revision, handle);
  return handle;
}

/** Defines the revision's machine although that was done before: it does not exist any more. Returns its handle. */
export async function defineAgain(ports: EnginePorts, revision: revisions.Revision): Promise<string> {
  return ensureMachine(ports, omitMachine(revision));
}

function omitMachine({ machine: _, ...revision }: revisions.Revision): revisions.Revision {
  return revision;
}

/**
 * A revision's machine for display: tier, definition and plan; with `resumes`, the definition of the machine that a run
 * continues in when the first one cannot wait but the workflow may.
 */
export function showMachines(revision: revisions.Revision) {
  const plan = revisions.planOf(revision);
  const { tier, definition } = emit(plan);
  const mayWait = tier === 'EXPRESS' && !isWaitFree(plan);
  return { tier, definition, ...(mayWait ? { resumes: emit(plan, 'anywhere').definition } : {}), plan };
}
