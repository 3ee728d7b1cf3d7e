/** A variable that is set to one value after another; at most one request for it is in progress. */
export interface Slot {
  readonly name: string;
  /** The number of the last value that was sent, and of the last one that was acknowledged; 0: none. */
  sent: number;
  acknowledged: number;
}

/** The runs of a kind: their ids, as they are in their inputs. */
export interface Begun {
  readonly sent: Set<string>;
  readonly acknowledged: Set<string>;
}

/** The requests that were sent to a namespace, and those that the service acknowledged. */
export interface Ledger {
  readonly namespace: string;
  readonly slots: readonly Slot[];
  /** Runs that a request started: `execute`, which was acknowledged, and `wait`, of which the output was received. */
  readonly runs: Begun;
  /** Events that start a run each. */
  readonly events: Begun;
  /** Workflows that were created. */
  readonly workflows: Begun;
}

const begun = (): Begun => ({ sent: new Set(), acknowledged: new Set() });

/** An empty ledger with this number of slots. */
export function newLedger(namespace: string, slots: number): Ledger {
  return {
    namespace,
    slots: Array.from({ length: slots }, (_, index) => ({ name: `slot-${index}`, sent: 0, acknowledged: 0 })),
    runs: begun(),
    events: begun(),
    workflows: begun(),
  };
}

/** The number of acknowledged writes. */
export function acknowledgedIn({ slots, runs, events, workflows }: Ledger): number {
  const values = slots.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  return values + runs.acknowledged.size + events.acknowledged.size + workflows.acknowledged.size;
}

/** Every seventh value of a slot is its deletion. */
const DELETION = 7;
/** Every fifth value is a blob, the others are in the item of the variable. */
const LARGE = 5;

/** The value of that number of a slot; undefined: the variable is deleted. */
export function textOf({ name }: Pick<Slot, 'name'>, number: number): string | undefined {
  if (number === 0 || number % DELETION === 0) return undefined;
  const length = number % LARGE === 0 ? 20_000 + ((number * 7919) % 500_000) : (number * 131) % 3000;
  return `${number} ${name} ${String(number % 10).repeat(length)}`;
}
