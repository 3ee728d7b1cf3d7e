import { setImmediate as poll, setTimeout as sleep } from 'node:timers/promises';
import { FairQueue } from '../../../language/sandbox/fair-queue.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Processor } from '../../../ports/processor.ts';
import { ProcessorTurns } from './processor-turns.ts';

/** The longest pause after work on large data, ms. */
const MAX_PAUSE_MS = 100;

/** An input of more bytes is large. */
const LARGE_BYTES = 256 * 1024;
const MIB = 1024 * 1024;

/** The processor of a process that serves many tenants. */
export class FairProcessor implements Processor {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #turns: ProcessorTurns;
  /** Work on large data is done one after the other. */
  readonly #largeTurns = new FairQueue({ total: 1, perTenant: 1 });
  /**
   * The bytes of large inputs whose runs begin at the same time. A parsed value takes up to 16 times its bytes in the heap,
   * and its run holds it while its queries wait for the sandbox.
   */
  readonly #heldInputs = new FairQueue({ total: 32 * MIB, perTenant: 16 * MIB });

  #charge: (tenant: string, ms: number) => void = () => undefined;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
    this.#turns = new ProcessorTurns(clock, (tenant, ms) => this.#charge(tenant, ms));
  }

  onComputed(listener: (tenant: string, ms: number) => void): void {
    this.#charge = listener;
  }

  mayCompute(tenant: string): boolean {
    return this.#turns.mayCompute(tenant);
  }

  takeTurn(tenant: string): Promise<void> {
    return this.#turns.take(tenant);
  }

  /**
   * Resolves in a turn of the event loop in which no other work on large data is done. While several tenants compute, the
   * next such turn begins after a pause as long as this one took: a small request passes about ten turns of the event loop,
   * and would wait for large data in each of them. Tenants take turns.
   */
  takeLargeTurn(tenant: string): Promise<void> {
    return new Promise((resolve) => {
      void this.#largeTurns.run(tenant, async () => {
        await poll();
        const began = this.#clock.now();
        resolve();
        // The work of the caller goes before this.
        await poll();
        const took = this.#clock.now() - began;
        this.#charge(tenant, took);
        const pause = Math.min(took, MAX_PAUSE_MS);
        if (pause > 0 && this.#turns.isShared(tenant)) await sleep(pause);
      });
    });
  }

  /** At once for a small input, else as soon as there is room for it beside the other large ones. Tenants take turns. */
  holdInput<T>(tenant: string, bytes: number, work: () => Promise<T>): Promise<T> {
    return bytes <= LARGE_BYTES ? work() : this.#heldInputs.run(tenant, work, { weight: bytes });
  }
}
