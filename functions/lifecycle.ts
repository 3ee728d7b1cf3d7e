import type { EventBridgeEvent } from 'aws-lambda';
import { enginePorts } from '../lib/adapters/aws/deployed.ts';
import { type EndedExecution, noteEnd } from '../lib/engine/lifecycle.ts';

/** What Step Functions tells of an execution; there is no error or cause where nobody gave one. */
interface StatusChange extends Pick<EndedExecution, 'name' | 'status'> {
  readonly error?: string | null;
  readonly cause?: string | null;
}

type Event = EventBridgeEvent<'Step Functions Execution Status Change', StatusChange>;

/** Executions that ended and did not succeed; the rule lets no other through. */
export function handler({ detail: { name, status, error, cause } }: Event): Promise<void> {
  return noteEnd(enginePorts(), { name, status, error: error ?? '', cause: cause ?? '' });
}
