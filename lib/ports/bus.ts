/** A recorded event on its way to its listeners: its key in the journal, and the fields for subscribers outside. */
export interface Message {
  readonly namespaceId: string;
  readonly namespace: string;
  /** The key of the event in the journal: the router reads it there. */
  readonly record: { readonly pk: string; readonly sk: string };
  readonly id: string;
  readonly type: string;
  readonly source: string;
  /** The CloudEvent as JSON text; absent when it is too large for a bus. */
  readonly event?: string;
  /** The id of a replay; absent for the first delivery of the event. */
  readonly replay?: string;
  /** The router continues with further listeners of an event; subscribers outside ignore such a message. */
  readonly round?: number;
}

/** Delivers messages to the router at least once, in any order, with retries until the router accepts them. */
export interface Bus {
  /** Publishes any number of messages. Resolves when all are accepted; an accepted message survives a crash. */
  publish(messages: readonly Message[]): Promise<void>;
  /**
   * Accepts a message that is published at `at` (milliseconds since 1970). `name` is a deduplication key: a second call
   * with the same name has no effect.
   */
  publishAt(at: number, name: string, message: Message): Promise<void>;
}
