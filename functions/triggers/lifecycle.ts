import type { EventBridgeEvent } from 'aws-lambda';
import { containers, enginePorts, meter } from '../../lib/adapters/aws/deployed.ts';
import { withFaultLog } from '../../lib/api/fault-log.ts';
import { type EndedExecution, noteEnd, runOf } from '../../lib/engine/recovery/lifecycle.ts';
import { aboutRun } from '../../lib/engine/step/step.ts';

/** What Step Functions tells of an execution; there is no error or cause where nobody gave one. */
interface StatusChange extends Pick<EndedExecution, 'name' | 'status'> {
  readonly error?: string | null;
  readonly cause?: string | null;
}

type Event = EventBridgeEvent<'Step Functions Execution Status Change', StatusChange>;

/** Executions that ended and did not succeed; the rule lets no other through. */
export const handler = withFaultLog(
  ({ detail: { name, status, error, cause } }: Event): Promise<void> =>
    noteEnd({ ...enginePorts(), containers: containers() }, { name, status, error: error ?? '', cause: cause ?? '' }),
  {
    about: async ({ detail: { name, status } }) => ({
      ...(await aboutRun(enginePorts(), runOf(name))),
      execution: name,
      status,
    }),
    meter,
  },
);
