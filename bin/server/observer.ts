import type { LocalExecutionsOptions } from '../../lib/adapters/local/executions/executions.ts';
import type { LocalTableOptions } from '../../lib/adapters/local/table/table.ts';

/** Listeners for what happens inside of the local service. */
export interface Observer {
  /** Called for each call of the database. */
  readonly onCall?: LocalTableOptions['onCall'];
  /** Called when a state machine, the bus or a schedule invokes a function. */
  readonly onInvoke?: () => void;
  /** Called for each transition of a state machine. */
  readonly onTransition?: LocalExecutionsOptions['onTransition'];
  /** Called for each event that the bus accepts. */
  readonly onPublish?: () => void;
  /** Called when the database ended unexpectedly. The service does not work after that. */
  readonly onLost?: (reason: string) => void;
}
