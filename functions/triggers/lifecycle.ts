import type { EventBridgeEvent } from 'aws-lambda';
import { containers, enginePorts, meter, traces } from '../../lib/adapters/aws/deployed.ts';
import { withFaultLog } from '../../lib/api/fault-log.ts';
import { withTraces } from '../../lib/api/trace-export.ts';
import { type EndedExecution, onExecutionEnd, runOf } from '../../lib/engine/recovery/lifecycle.ts';
import { logFieldsOf } from '../../lib/engine/run/log-fields.ts';

/** The status change of an execution; error and cause may be absent. */
interface StatusChange extends Pick<EndedExecution, 'name' | 'status'> {
  readonly error?: string | null;
  readonly cause?: string | null;
}

type Event = EventBridgeEvent<'Step Functions Execution Status Change', StatusChange>;

/** Called by the bus for each execution that did not succeed. An error makes Lambda retry. */
export const handler = withTraces(
  withFaultLog(
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
  ),
  traces,
);
