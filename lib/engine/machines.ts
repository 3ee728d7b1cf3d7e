import { type Beginning, emit } from '../compiler/emit.ts';
import type { Plan } from '../compiler/plan.ts';
import * as revisions from '../domain/revisions.ts';
import type { Machine } from '../ports.ts';
import type { EnginePorts } from './draft.ts';

/**
 * The machine of a revision: one machine a workflow and tier, a version a revision. Beside it stands one that takes up
 * runs in the middle; it is made when first needed.
 */
export function machineOf(workflow: string, plan: Plan, beginning: Beginning = 'start'): Machine {
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
