import type { Bus, Message } from '../../../lib/ports/bus.ts';

/** A bus that outlives processes. It holds messages until a test lets it deliver them. */
export class HeldMessages implements Bus {
  private held: { readonly due: number; readonly message: Message }[] = [];
  private readonly names = new Set<string>();

  /** How many events it holds; one may be published several times. */
  get size(): number {
    return new Set(this.held.map(({ message }) => message.id)).size;
  }

  /** The held messages, in the order of publication. */
  get messages(): readonly Message[] {
    return this.held.map(({ message }) => message);
  }

  async publish(messages: readonly Message[]): Promise<void> {
    this.held.push(...messages.map((message) => ({ due: 0, message })));
  }

  async publishAt(due: number, name: string, message: Message): Promise<void> {
    if (this.names.has(name)) return;
    this.names.add(name);
    this.held.push({ due, message });
  }

  /** Delivers the messages due at `now`, also those published meanwhile. A message is kept if `take` throws. */
  async deliver(now: number, take: (message: Message) => Promise<void>): Promise<void> {
    for (;;) {
      const next = this.held.find(({ due }) => due <= now);
      if (next === undefined) return;
      await take(next.message);
      this.held.splice(this.held.indexOf(next), 1);
    }
  }
}
