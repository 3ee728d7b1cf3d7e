import { calledContainers, enginePorts, meter, sealer } from '../../lib/adapters/aws/deployed.ts';
import { withFaultLog } from '../../lib/api/fault-log.ts';
import { aboutRun, isAnswer, type StepInput, step } from '../../lib/engine/step/step.ts';

/** What state machines call while they run. Errors leave by their names: the machine's retries know them. */
export const handler = withFaultLog(
  (input: StepInput): Promise<unknown> =>
    step({ ...enginePorts(), sealer: sealer(), containers: calledContainers() }, input),
  { about: ({ run }) => aboutRun(enginePorts(), run), meter, isAnswer },
);
