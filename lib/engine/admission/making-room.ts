import * as concurrency from '../../domain/concurrency/places.ts';
import * as runs from '../../domain/runs/runs.ts';
import type { Cancellation } from '../delivery/cancellation.ts';
import { cancel } from '../delivery/deliver.ts';
import { handOver } from '../delivery/hand-over.ts';
import type { DeliveryPorts } from '../ports.ts';

const BY_NEWER: Cancellation = { reason: 'cancels.api', message: 'cancelled by a newer run of the workflow' };

/**
 * Cancels the oldest run that has a place, so that the queued run gets it. If others were queued before it, these get the place and
 * are cancelled next. A run whose workflow has a handler keeps its place until that is done. Safe to repeat.
 */
export async function makeRoom(ports: DeliveryPorts, run: runs.Run): Promise<void> {
  const group = concurrency.groupOf(run);
  for (;;) {
    const current = await runs.find(ports, run.id);
    if (current === undefined || !runs.isQueued(current)) return;
    const { holders } = await concurrency.read(ports.table, group, 0);
    const [oldest] = holders;
    const holder = oldest === undefined ? undefined : await runs.find(ports, oldest);
    // A second cancellation would end its handler.
    if (holder?.handling !== undefined) return;
    const ended = holder && (await cancel(ports, holder, BY_NEWER));
    if (ended?.status === 'pending') return;
    await handOver(ports, group, oldest);
  }
}
