import { emit, type MachineEntry } from '../../compiler/emit/emit.ts';
import { isWaitFree } from '../../compiler/plan/execution.ts';
import type { Plan } from '../../compiler/plan/plan.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import type { Machine } from '../../ports/executions.ts';
import type { EnginePorts } from '../ports.ts';

const ENTRIES: Readonly<Record<revisions.MachineKind, MachineEntry>> = { machine: 'start', resumes: 'anywhere' };

/**
 * The state machine of a revision. A workflow has one machine a tier, and each revision is a version of it. The machine
 * for `anywhere` resumes runs in the middle; it is defined when it is first needed.
 */
export function machineOf(workflow: string, plan: Plan, beginning: MachineEntry = 'start'): Machine {
  const { definition, tier } = emit(plan, beginning);
  const kind = beginning === 'start' ? tier.toLowerCase() : 'resume';
  return { name: `${workflow}-${kind}`, definition: JSON.stringify(definition), tier };
}

/** Defines a machine of the revision and stores its handle. Throws BusyError as the port does. */
async function define(
  ports: EnginePorts,
  revision: revisions.Revision,
  kind: revisions.MachineKind,
  isPatient = true,
): Promise<string> {
  const machine = machineOf(revision.workflow, revisions.planOf(revision), ENTRIES[kind]);
  const handle = await ports.executions.define(machine, isPatient);
  await revisions.keepMachine(ports, revision, { [kind]: handle });
  return handle;
}

/**
 * Defines the machine that resumes a run of the revision at any state, unless that was done before, also by another
 * process. Returns its handle.
 */
export async function ensureResumingMachine(ports: EnginePorts, revision: revisions.Revision): Promise<string> {
  if (revision.resumes !== undefined) return revision.resumes;
  const stored = await revisions.needStored(ports, revision.workflow, revision.id);
  return stored.resumes ?? define(ports, stored, 'resumes');
}

/**
 * Defines the revision's machine unless that was done before. Returns its handle. It is called when a workflow is stored
 * and again before a run starts, so a definition that was throttled or interrupted is repeated.
 */
export async function ensureMachine(
  ports: EnginePorts,
  revision: revisions.Revision,
  isPatient = true,
): Promise<string> {
  return revision.machine ?? define(ports, revision, 'machine', isPatient);
}

/** A machine of a revision that does not exist any more. */
export interface MissingMachine {
  readonly kind: revisions.MachineKind;
  /** The handle that has no machine. */
  readonly missing: string;
}

/**
 * Defines a machine again that was deleted, with the service or because its workflow has too many versions, or whose
 * storage was lost. Returns the new handle, or that which another process has stored meanwhile.
 */
export async function redefineMachine(
  ports: EnginePorts,
  revision: revisions.Revision,
  { kind, missing }: MissingMachine,
): Promise<string> {
  const stored = await revisions.needStored(ports, revision.workflow, revision.id);
  const handle = stored[kind];
  return handle === undefined || handle === missing ? define(ports, stored, kind) : handle;
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
