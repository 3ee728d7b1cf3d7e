import { INVOKE, type StateMachine } from './asl.ts';
import { RETRY_BATCH, STEPS_FUNCTION } from './waits.ts';

/**
 * The state machine of the tier EXPRESS that calls the steps function after some seconds, for the waits at which no machine of
 * a workflow stands. It is the same for all workflows. `step` in its input is the input of the function, to which it adds the number
 * of the attempt: AWS may start an execution of this tier twice.
 */
export const DELAYED_STEP: StateMachine = {
  Comment: 'Made by Weft: a step after a short wait.',
  QueryLanguage: 'JSONata',
  StartAt: 'wait',
  States: {
    wait: { Type: 'Wait', Seconds: '{% $states.input.seconds %}', Next: 'step' },
    step: {
      Type: 'Task',
      Resource: INVOKE,
      Arguments: {
        FunctionName: STEPS_FUNCTION,
        Payload: '{% $merge([$states.input.step, {"attempt": $states.context.State.RetryCount}]) %}',
      },
      Output: {},
      Retry: RETRY_BATCH,
      End: true,
    },
  },
};
