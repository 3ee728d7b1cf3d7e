import { ServiceError } from '../../domain/errors.ts';
import * as definitions from '../../domain/tree/postponed-definitions.ts';
import * as revisions from '../../domain/tree/revisions.ts';
import { BusyError } from '../../ports/executions.ts';
import type { EnginePorts } from '../ports.ts';
import { ensureMachine, usualKind } from './definitions.ts';

/**
 * Defines the machine of a revision that has just become the latest or was enabled, so that its first run need not wait for it. At a time of many
 * definitions, such as an import, that is postponed: the reconciler does it, or the first start that needs it.
 */
export async function defineEarly(
  ports: EnginePorts,
  { revision, ...place }: definitions.Place & { readonly revision: revisions.Revision },
): Promise<void> {
  try {
    const { plan } = revision;
    if (plan !== undefined) await ensureMachine(ports, revision, usualKind(ports, plan), { isNew: true });
  } catch (error) {
    if (!(error instanceof BusyError)) throw error;
    await definitions.postpone(ports, place, revision);
  }
}

/** Undefined for a revision that was deleted, or whose workflow was. */
async function stored(ports: EnginePorts, one: definitions.Postponed): Promise<revisions.Revision | undefined> {
  try {
    return await revisions.needStored(ports, one.workflow, one.revision);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not-found') return undefined;
    throw error;
  }
}

/** Defines a machine that was postponed. False: others use all of the quota. Throws what the definition throws. */
async function defineOne(ports: EnginePorts, one: definitions.Postponed): Promise<boolean> {
  const revision = await stored(ports, one);
  try {
    if (revision?.plan !== undefined) await ensureMachine(ports, revision, usualKind(ports, revision.plan));
  } catch (error) {
    if (error instanceof BusyError) return false;
    await definitions.noteFailure(ports, one, error instanceof Error ? error.message : String(error));
    throw error;
  }
  await definitions.complete(ports, one, revision?.plan !== undefined);
  return true;
}

/**
 * Defines machines that were postponed, one after another at the pace of the quota, until a time (milliseconds since
 * 1970) or until others use all of the quota. The next call defines the rest: an interruption loses none. A machine
 * that fails stays postponed, with the reason, and stops no other one. Throws the first error in the end.
 */
export async function definePostponed(ports: EnginePorts, until = Number.POSITIVE_INFINITY): Promise<void> {
  const faults: unknown[] = [];
  for await (const one of definitions.allPostponed(ports)) {
    if (ports.clock.now() >= until) break;
    const isDone = await defineOne(ports, one).catch((fault: unknown) => faults.push(fault) > 0);
    if (!isDone) break;
  }
  if (faults.length > 0) throw faults[0];
}
