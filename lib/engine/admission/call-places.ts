import { rulesIn, type ScopeRules } from '../../domain/concurrency/limits.ts';
import * as concurrency from '../../domain/concurrency/places.ts';
import type { CallScope } from '../../domain/runs/calls.ts';
import type * as runs from '../../domain/runs/runs.ts';
import { retryOnConflict } from '../../domain/storage/conflicts.ts';
import { ownerLimits, scopeOwner } from '../../domain/storage/keys/concurrency-keys.ts';
import * as keys from '../../domain/storage/keys.ts';
import type { Write } from '../../ports/table.ts';
import { SECOND_MS } from '../../time/units.ts';
import { handOver } from '../delivery/hand-over.ts';
import { nextOf } from '../delivery/rate-counts.ts';
import type { DeliveryPorts, EnginePorts } from '../ports.ts';
import { inTurn } from './turns.ts';

/** A place is leased for this much longer than the call may take, milliseconds: clocks differ, and a connection takes time to end. */
const LEASE_MARGIN_MS = 5 * SECOND_MS;

/** A call that is made within the step of its caller, and how long it may take, milliseconds. */
export interface CallHere {
  readonly child: runs.Call;
  readonly limits: CallScope;
  readonly ms: number;
}

/** Leases a place; undefined if none is free, or others are queued. A repeated step leases the place of the one before again. */
async function leaseWrite(ports: EnginePorts, { child, ms }: CallHere, limit: number): Promise<Write | undefined> {
  const group = concurrency.groupOf(child);
  const { holders, version: before, queue } = await concurrency.read(ports.table, group, 1);
  const others = holders.filter((text) => concurrency.holderOf(text).id !== child.id);
  const isMine = others.length < holders.length;
  if (!isMine && (queue.length > 0 || others.length >= limit)) return undefined;
  const now = ports.clock.now();
  const lease = { id: child.id, caller: child.site.caller, until: now + ms + LEASE_MARGIN_MS };
  const next = { holders: [...others, concurrency.leaseText(lease)], before, version: ports.clock.uuid(), now };
  return concurrency.holdersWrite(group, next);
}

/** What a call takes by the limits of its function; undefined: it may not begin now. */
interface Taking {
  readonly writes: readonly Write[];
  readonly isLeased: boolean;
}

async function takingOf(ports: EnginePorts, call: CallHere, { limit, rate }: ScopeRules): Promise<Taking | undefined> {
  const { child, limits } = call;
  const group = { owner: scopeOwner(child.namespaceId, limits.scope), key: limits.rateKey };
  const next = rate && (await nextOf(ports, child.id, rate, group));
  if (next?.isFree === false) return undefined;
  const counting = next === undefined ? [] : [next.write];
  if (limit === undefined) return { writes: counting, isLeased: false };
  const lease = await leaseWrite(ports, call, limit);
  return lease && { writes: [...counting, lease], isLeased: true };
}

/**
 * Counts a call by the rate of its function and leases a place in its concurrency, if it may begin now. Returns undefined, and
 * changes nothing, if it may not, or a repeated step finds that it is stored: it waits. Else returns whether `leaveHere` is due.
 */
export function takeHere(ports: EnginePorts, call: CallHere): Promise<Pick<Taking, 'isLeased'> | undefined> {
  const { table } = ports;
  const { child, limits } = call;
  const owner = scopeOwner(child.namespaceId, limits.scope);
  const attempt = async (): Promise<Taking | undefined> => {
    const [item, stored] = await table.get([ownerLimits(owner), keys.run(child.id)]);
    const taking = stored === undefined ? await takingOf(ports, call, rulesIn(item)) : undefined;
    if (taking !== undefined && taking.writes.length > 0) await table.write(taking.writes);
    return taking;
  };
  return inTurn(table, owner, () => retryOnConflict(attempt));
}

/** Ends the lease of a call, whose place the first queued one takes. */
export function leaveHere(ports: DeliveryPorts, { child, limits }: CallHere): Promise<void> {
  const owner = scopeOwner(child.namespaceId, limits.scope);
  return inTurn(ports.table, owner, () => handOver(ports, concurrency.groupOf(child), child.id));
}
