import { frameOf } from '../../../../containers/sidecar/frames.ts';
import type { Continuation } from '../../../../containers/sidecar/lambda/event.ts';
import type { HostMessage } from '../../../../containers/sidecar/messages.ts';
import type { Channel } from './channel.ts';

interface PendingMessage {
  readonly message: HostMessage;
  readonly body: Uint8Array | undefined;
}

/**
 * Writes messages to a channel, one object after the other. Messages that come during a write share the next object.
 */
export class ChannelWriter {
  readonly #channel: Channel;
  readonly #onFailure: (problem: string) => void;
  #pending: PendingMessage[] = [];
  #number = 1;
  /** Whether the next message starts a write: not before `open`, and not while a write is in progress. */
  #isReady = false;

  /** `onFailure` is called once, with the problem of a write that failed. */
  constructor(channel: Channel, onFailure: (problem: string) => void) {
    this.#channel = channel;
    this.#onFailure = onFailure;
  }

  /** Writes a message, or keeps it for `open`. */
  add(message: HostMessage, body?: Uint8Array): void {
    this.#pending.push({ message, body });
    if (this.#isReady) this.#writeAll().catch(({ message }: Error) => this.#onFailure(message));
  }

  /** Returns the frames of all messages so far, which the event of the call carries. Later messages are written. */
  open(): Buffer {
    this.#isReady = true;
    return Buffer.concat(this.#takePending());
  }

  #takePending(): Buffer[] {
    return this.#pending.splice(0).map(({ message, body }) => frameOf(message, body));
  }

  async #writeAll(): Promise<void> {
    this.#isReady = false;
    while (this.#pending.length > 0) {
      const next: Continuation = { do: 'next', url: await this.#channel.urlOf(this.#number + 1) };
      await this.#channel.put(this.#number, Buffer.concat([frameOf(next), ...this.#takePending()]));
      this.#number += 1;
    }
    this.#isReady = true;
  }
}
