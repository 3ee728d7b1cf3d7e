import { INVOKE, type StateMachine } from './asl.ts';
import { EXECUTION, RETRY_BATCH, STEPS_FUNCTION } from './waits.ts';

const OUTPUT_OF_FAILURE = '{% {"error": $states.errorOutput.Error, "cause": $states.errorOutput.Cause} %}';

/**
 * The state machine of an invocation that may take long: no function waits meanwhile. It is the same for all workflows.
 * The step returns the invocation to make, and receives its result. An attempt is made once: `retries` of the action
 * decide about others.
 */
export const LAMBDA_CALL: StateMachine = {
  Comment: 'Made by Weft: one long invocation of a Lambda function.',
  QueryLanguage: 'JSONata',
  StartAt: 'prepare',
  States: {
    prepare: {
      Type: 'Task',
      Resource: INVOKE,
      Arguments: { FunctionName: STEPS_FUNCTION, Payload: EXECUTION },
      Output: '{% $states.result.Payload %}',
      Retry: RETRY_BATCH,
      Next: 'open?',
    },
    'open?': {
      Type: 'Choice',
      Choices: [{ Condition: '{% $exists($states.input.invoke) %}', Next: 'invoke' }],
      Default: 'ended',
    },
    invoke: {
      Type: 'Task',
      Resource: INVOKE,
      Arguments: {
        FunctionName: '{% $states.input.invoke.function %}',
        Payload: '{% $states.input.invoke.payload %}',
        ClientContext: '{% $states.input.invoke.context %}',
      },
      TimeoutSeconds: '{% $states.input.invoke.seconds %}',
      Output: '{% {"result": $states.result.Payload} %}',
      // States.ALL does not include States.DataLimitExceeded.
      Catch: [
        { ErrorEquals: ['States.DataLimitExceeded'], Output: OUTPUT_OF_FAILURE, Next: 'end' },
        { ErrorEquals: ['States.ALL'], Output: OUTPUT_OF_FAILURE, Next: 'end' },
      ],
      Next: 'end',
    },
    end: {
      Type: 'Task',
      Resource: INVOKE,
      Arguments: { FunctionName: STEPS_FUNCTION, Payload: { ...EXECUTION, with: '{% $states.input %}' } },
      Output: {},
      Retry: RETRY_BATCH,
      End: true,
    },
    ended: { Type: 'Succeed' },
  },
};
