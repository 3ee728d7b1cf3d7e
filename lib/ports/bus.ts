/** An event on its way to those who listen: where it is recorded, and what an outside listener needs of it. */
export interface Message {
  readonly namespaceId: string;
  readonly namespace: string;
  /** Where the event is recorded: the router reads it there. */
  readonly record: { readonly pk: string; readonly sk: string };
  readonly id: string;
  readonly type: string;
  readonly source: string;
  /** The CloudEvent as JSON text; absent when it is too large for a bus. */
  readonly event?: string;
  /** Tells a repetition that was asked for from the event's first way. */
  readonly replay?: string;
  /** The router goes on among many listeners: no news for anybody outside. */
  readonly round?: number;
}

/** Carries recorded events to the router: each at least once, in any order, repeated until the router takes it. */
export interface Bus {
  /** Any number of messages. Resolves when all are accepted; what is accepted survives a crash. */
  publish(messages: readonly Message[]): Promise<void>;
  /** Accepts a message now that is published at `at` (milliseconds since 1970). The same name again changes nothing. */
  publishAt(at: number, name: string, message: Message): Promise<void>;
}
