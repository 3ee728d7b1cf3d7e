import { calledContainers, enginePorts, meter, sealer } from '../../lib/adapters/aws/deployed.ts';
import { withFaultLog } from '../../lib/api/fault-log.ts';
import { logFieldsOf } from '../../lib/engine/run/log-fields.ts';
import { isStepResult } from '../../lib/engine/step/errors.ts';
import { type StepInput, step } from '../../lib/engine/step/step.ts';

/** Called by the state machines of workflows. Errors keep their names, which the machines' retries name. */
export const handler = withFaultLog(
  (input: StepInput): Promise<unknown> =>
    step({ ...enginePorts(), sealer: sealer(), containers: calledContainers() }, input),
  { about: ({ run }) => logFieldsOf(enginePorts(), run), meter, isAnswer: isStepResult },
);
