import { setImmediate as poll, setTimeout as sleep } from 'node:timers/promises';
import { FairQueue } from '../../language/sandbox/fair-queue.ts';
import type { EnginePorts } from '../ports.ts';
import { isShared } from './processor.ts';

type Clock = Pick<EnginePorts['clock'], 'now'>;

/** The longest pause after work on large data, ms. */
const MAX_PAUSE_MS = 100;

/** Work on large data is done one after the other in this process. */
const queue = new FairQueue({ total: 1, perTenant: 1 });

/**
 * Resolves in a turn of the event loop in which the caller may read, format or copy large data, which takes tens of
 * milliseconds. No other such work is done in that turn. While several tenants compute, the next such turn begins after a pause as
 * long as this one took: a small request passes about ten turns of the event loop, and would wait for large data in each
 * of them. Tenants take turns.
 */
export function takeLargeTurn(clock: Clock, tenant: string): Promise<void> {
  return new Promise((resolve) => {
    void queue.run(tenant, async () => {
      await poll();
      const began = clock.now();
      resolve();
      // The work of the caller goes before this.
      await poll();
      const now = clock.now();
      const pause = Math.min(now - began, MAX_PAUSE_MS);
      if (pause > 0 && isShared(tenant, now)) await sleep(pause);
    });
  });
}

/** Returns the ports for reading a run, with which its large data is read in a turn of its own. */
export const inLargeTurns = ({ table, blobs, clock }: Pick<EnginePorts, 'table' | 'blobs' | 'clock'>) => ({
  ...{ table, blobs },
  beforeLarge: (namespaceId: string) => takeLargeTurn(clock, namespaceId),
});
