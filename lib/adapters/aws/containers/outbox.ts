import type { Continuation } from '../../../containers/sidecar/event.ts';
import { frameOf } from '../../../containers/sidecar/frames.ts';
import type { ToBeside } from '../../../containers/sidecar/messages.ts';
import type { Mailbox } from './mailbox.ts';

interface Waiting {
  readonly message: ToBeside;
  readonly body: Uint8Array | undefined;
}

/** Lays messages down one after the other; what is said while one is on its way goes into the next. */
export class Outbox {
  readonly #mailbox: Mailbox;
  readonly #fail: (problem: string) => void;
  #waiting: Waiting[] = [];
  #number = 1;
  #isOpen = false;

  /** What cannot be laid down is told once. */
  constructor(mailbox: Mailbox, fail: (problem: string) => void) {
    this.#mailbox = mailbox;
    this.#fail = fail;
  }

  add(message: ToBeside, body?: Uint8Array): void {
    this.#waiting.push({ message, body });
    if (this.#isOpen) this.#sendAll().catch(({ message }: Error) => this.#fail(message));
  }

  /** All that was said so far, which goes another way; what follows is laid down. */
  open(): Buffer {
    this.#isOpen = true;
    return Buffer.concat(this.#taken());
  }

  #taken(): Buffer[] {
    return this.#waiting.splice(0).map(({ message, body }) => frameOf(message, body));
  }

  async #sendAll(): Promise<void> {
    this.#isOpen = false;
    while (this.#waiting.length > 0) {
      const next: Continuation = { do: 'next', url: await this.#mailbox.addressOf(this.#number + 1) };
      await this.#mailbox.put(this.#number, Buffer.concat([frameOf(next), ...this.#taken()]));
      this.#number += 1;
    }
    this.#isOpen = true;
  }
}
