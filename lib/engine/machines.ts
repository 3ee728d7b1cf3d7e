import { emit } from '../compiler/emit.ts';
import type { Plan } from '../compiler/plan.ts';
import * as revisions from '../domain/revisions.ts';
import type { Machine } from '../ports.ts';
import type { EnginePorts } from './draft.ts';

/** The machine of a revision: one machine a workflow, a version a revision. */
export function machineOf(workflow: string, plan: Plan): Machine {
  const { definition, tier } = emit(plan);
  return { name: `${workflow}-${tier.toLowerCase()}`, definition: JSON.stringify(definition), tier };
}

/**
 * Sees to it that the revision's machine is defined. Called when a workflow is stored and again before a run starts,
 * so a definition that was throttled or cut short is made up for.
 */
export async function ensureMachine(ports: EnginePorts, revision: revisions.Revision): Promise<string> {
  if (revision.machine !== undefined) return revision.machine;
  if (revision.plan === undefined) throw new Error(`revision ${revision.id} has no plan`);
  const handle = await ports.executions.define(machineOf(revision.workflow, revision.plan));
  await revisions.keepMachine(ports, revision, handle);
  return handle;
}
