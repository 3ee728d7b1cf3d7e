import { INVOKE, type StateMachine } from './asl.ts';
import { EXECUTION, RETRY_BATCH, STEPS_FUNCTION } from './waits.ts';

/**
 * The state machine that holds a run back until a time, and then lets the step begin it. It is the same for all workflows. If the
 * time was postponed meanwhile, the step returns the new one.
 */
export const HELD_RUN: StateMachine = {
  Comment: 'Made by Weft: a run that begins later.',
  QueryLanguage: 'JSONata',
  StartAt: 'until',
  States: {
    until: { Type: 'Wait', Timestamp: '{% $states.input.until %}', Next: 'begin' },
    begin: {
      Type: 'Task',
      Resource: INVOKE,
      Arguments: { FunctionName: STEPS_FUNCTION, Payload: EXECUTION },
      Output: '{% $states.result.Payload %}',
      Retry: RETRY_BATCH,
      Next: 'later?',
    },
    'later?': {
      Type: 'Choice',
      Choices: [{ Condition: '{% $exists($states.input.until) %}', Next: 'until' }],
      Default: 'begun',
    },
    begun: { Type: 'Succeed' },
  },
};
