import {
  calledContainers,
  enginePorts,
  externalSecrets,
  lambdas,
  meter,
  sealer,
  timers,
  traces,
  web,
} from '../../lib/adapters/aws/deployed.ts';
import { withFaultLog } from '../../lib/api/fault-log.ts';
import { withTraces } from '../../lib/api/trace-export.ts';
import { logFieldsOf } from '../../lib/engine/run/log-fields.ts';
import { isStepResult, throwTaskError } from '../../lib/engine/tasks/results.ts';
import { type StepInput, step } from '../../lib/engine/tasks/step.ts';

const loggedStep = withFaultLog(
  (input: StepInput): Promise<unknown> =>
    step(
      {
        ...enginePorts(),
        timers: timers(),
        sealer: sealer(),
        externalSecrets: externalSecrets(),
        web: web(),
        lambdas: lambdas(),
        containers: calledContainers(),
      },
      input,
    ),
  { about: ({ run }) => logFieldsOf(enginePorts(), run), meter, isAnswer: isStepResult },
);

/** Called by the state machines of workflows, and by the timers of delays. The names of its errors are those that the machines' retriers have. */
export const handler = withTraces(
  (...call: Parameters<typeof loggedStep>): Promise<unknown> => loggedStep(...call).catch(throwTaskError),
  traces,
);
