import { emit, type MachineKind } from '../../compiler/emit/emit.ts';
import { hasNoLikelyWait, isWaitFree } from '../../compiler/plan/execution.ts';
import type { Plan } from '../../compiler/plan/plan.ts';
import { countPostponed } from '../../domain/tree/postponed-definitions.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { BusyError, type Machine, MachineLimitError } from '../../ports/executions.ts';
import { presentTenant } from '../evaluation/tenants.ts';
import type { EnginePorts } from '../ports.ts';
import { inPlaceBudgetOf } from './in-place-budget.ts';

/** The last part of the name of a machine that does not begin at the start; of one that does, it is the tier. */
const SUFFIXES: Readonly<Record<Exclude<MachineKind, 'start'>, string>> = { firstWait: 'wait', anyState: 'resume' };

/**
 * The state machine of a revision. A workflow has up to four: for runs from the start one of each tier, one for the first
 * wait and one for any state. Each revision is a version of them. Those that few runs need are defined when they are first needed.
 */
export function machineOf(workflow: string, plan: Plan, kind: MachineKind = 'start'): Machine {
  const { definition, tier } = emit(plan, kind);
  const suffix = kind === 'start' ? tier.toLowerCase() : SUFFIXES[kind];
  return { name: `${workflow}-${suffix}`, definition: JSON.stringify(definition), tier };
}

/** Seconds of the quota of definitions for one of them. */
const SECONDS_OF_DEFINITION = 1;

/** Adds to a BusyError how many definitions are waiting. */
async function explain(ports: EnginePorts, error: unknown): Promise<never> {
  if (!(error instanceof BusyError) || error instanceof MachineLimitError) throw error;
  const waiting = await countPostponed(ports);
  if (waiting === 0) throw error;
  const minutes = Math.ceil((waiting * SECONDS_OF_DEFINITION) / 60);
  const text = `the workflow is stored and its state machine is not defined yet: ${waiting} of an import wait for theirs`;
  const message = `${text}, which takes ${minutes} minutes or more; try again`;
  throw new BusyError(message, { cause: error });
}

/** The machine of a plan with more states is made in a turn of its own: one of 3,000 states takes 54 ms. */
const MANY_STATES = 100;

/** Defines a machine of the revision and stores its handle. Throws BusyError as the port does. */
async function define(
  ports: EnginePorts,
  revision: revisions.Revision,
  kind: MachineKind,
  isPatient = true,
): Promise<string> {
  const plan = revisions.planOf(revision);
  if (Object.keys(plan.states).length > MANY_STATES) await presentTenant().takeLargeTurn?.();
  const machine = machineOf(revision.workflow, plan, kind);
  const defined = ports.executions.define(machine, isPatient);
  const handle = await (isPatient ? defined.catch((error: unknown) => explain(ports, error)) : defined);
  await revisions.keepMachine(ports, revision, kind, handle);
  return handle;
}

/**
 * Defines a machine of the revision unless that was done before, also by another process. Returns its handle. It is called
 * when a workflow is stored and again before a run needs the machine, so a definition that was throttled or interrupted
 * is repeated. `isNew`: the workflow was just changed, so the revision is not read again. A machine that another process has
 * defined meanwhile is defined again, to no effect. The definition does not wait for the quota, but throws BusyError at once.
 */
export async function ensureMachine(
  ports: EnginePorts,
  revision: revisions.Revision,
  kind: MachineKind,
  { isNew = false }: { readonly isNew?: boolean } = {},
): Promise<string> {
  const known = revision.machines[kind];
  if (known !== undefined) return known;
  if (isNew) return define(ports, revision, kind, false);
  const stored = await revisions.needStored(ports, revision.workflow, revision.id);
  return stored.machines[kind] ?? define(ports, stored, kind);
}

/** The kind of the machine that most runs of a plan begin in, if they need one: they run where they are started up to a wait. */
export const usualKind = ({ settings }: Pick<EnginePorts, 'settings'>, plan: Plan): MachineKind =>
  inPlaceBudgetOf(settings) > 0 && !hasNoLikelyWait(plan) ? 'firstWait' : 'start';

/** A machine of a revision that does not exist any more. */
export interface MissingMachine {
  readonly kind: MachineKind;
  /** The handle that has no machine. */
  readonly missing: string;
}

/**
 * Defines a machine again that was deleted, with the service or because its workflow has too many versions, or whose
 * storage was lost. Returns the new handle, or the one that another process has stored meanwhile.
 */
export async function redefineMachine(
  ports: EnginePorts,
  revision: revisions.Revision,
  { kind, missing }: MissingMachine,
): Promise<string> {
  const stored = await revisions.needStored(ports, revision.workflow, revision.id);
  const handle = stored.machines[kind];
  return handle === undefined || handle === missing ? define(ports, stored, kind) : handle;
}

/**
 * A revision's machines for display, and its plan: tier and definition of the machine that begins at the start. If the
 * workflow may wait, `waits` is the machine that begins at the first wait, for runs that began where they were started; and
 * if the machine at the start cannot wait, `resumes` is the one that continues a run at any state.
 */
export function showMachines(revision: revisions.Revision) {
  const plan = revisions.planOf(revision);
  const { tier, definition } = emit(plan);
  const mayWait = !isWaitFree(plan);
  return {
    tier,
    definition,
    ...(mayWait ? { waits: emit(plan, 'firstWait').definition } : {}),
    ...(mayWait && tier === 'EXPRESS' ? { resumes: emit(plan, 'anyState').definition } : {}),
    plan,
  };
}
