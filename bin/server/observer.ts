import type { LocalExecutionsOptions } from '../../lib/adapters/local/executions/executions.ts';

/** One call of a database at an endpoint, as it is counted. */
export interface DatabaseCall {
  readonly operation: string;
  readonly table: string;
  readonly units?: number;
}

/** Listeners for the operations inside of the local service. */
export interface Observer {
  /** Called for each call of the database at the endpoint. The database in this process makes no calls. */
  readonly onCall?: (call: DatabaseCall) => void;
  /** Called when a state machine, the bus or a schedule invokes a function. */
  readonly onInvoke?: () => void;
  /** Called for each transition of a state machine. */
  readonly onTransition?: LocalExecutionsOptions['onTransition'];
  /** Called for each state of a state machine that begins to wait. */
  readonly onWait?: LocalExecutionsOptions['onWait'];
  /** Called for each event that the bus accepts. */
  readonly onPublish?: () => void;
  /** Called once with the administrator's key when it was generated. */
  readonly onNewKey?: (key: string) => void;
  /** Called when the disk failed to keep the database. The service does not work after that. */
  readonly onLost?: (reason: string) => void;
}
