import { calledContainers, enginePorts, meter, sealer } from '../../lib/adapters/aws/deployed.ts';
import { noting } from '../../lib/api/faults.ts';
import { logFieldsOf } from '../../lib/engine/run/log-fields.ts';
import { isStepResult } from '../../lib/engine/step/errors.ts';
import { type StepInput, step } from '../../lib/engine/step/step.ts';

/** What state machines call while they run. Errors leave by their names: the machine's retries know them. */
export const handler = noting(
  (input: StepInput): Promise<unknown> =>
    step({ ...enginePorts(), sealer: sealer(), containers: calledContainers() }, input),
  { about: ({ run }) => logFieldsOf(enginePorts(), run), meter, isAnswer: isStepResult },
);
