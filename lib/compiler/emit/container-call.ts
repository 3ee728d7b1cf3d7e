import { INVOKE, type StateMachine } from './asl.ts';
import { EXECUTION, RETRY_BATCH, STEPS_FUNCTION } from './waits.ts';

/** The state machine of an async call of a container. It is the same for all workflows. */
export const CONTAINER_CALL: StateMachine = {
  Comment: 'Made by Weft: one call of a container that no workflow waits for.',
  QueryLanguage: 'JSONata',
  StartAt: 'call',
  States: {
    call: {
      Type: 'Task',
      Resource: INVOKE,
      Arguments: { FunctionName: STEPS_FUNCTION, Payload: EXECUTION },
      Output: {},
      Retry: RETRY_BATCH,
      End: true,
    },
  },
};
