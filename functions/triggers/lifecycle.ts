import type { EventBridgeEvent } from 'aws-lambda';
import { containers, enginePorts, meter } from '../../lib/adapters/aws/deployed.ts';
import { noting } from '../../lib/api/faults.ts';
import { type EndedExecution, onExecutionEnd, runOf } from '../../lib/engine/recovery/lifecycle.ts';
import { logFieldsOf } from '../../lib/engine/run/log-fields.ts';

/** What Step Functions tells of an execution; there is no error or cause where nobody gave one. */
interface StatusChange extends Pick<EndedExecution, 'name' | 'status'> {
  readonly error?: string | null;
  readonly cause?: string | null;
}

type Event = EventBridgeEvent<'Step Functions Execution Status Change', StatusChange>;

/** Executions that ended and did not succeed; the rule lets no other through. */
export const handler = noting(
  ({ detail: { name, status, error, cause } }: Event): Promise<void> =>
    onExecutionEnd(
      { ...enginePorts(), containers: containers() },
      { name, status, error: error ?? '', cause: cause ?? '' },
    ),
  {
    about: async ({ detail: { name, status } }) => ({
      ...(await logFieldsOf(enginePorts(), runOf(name))),
      execution: name,
      status,
    }),
    meter,
  },
);
