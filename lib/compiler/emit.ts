import { INVOKE, type Retrier, type StateMachine, type TaskState } from './asl.ts';
import { isAcyclic, isWaitFree } from './paths.ts';
import type { Plan } from './plan.ts';

/** The name under which the steps function is known to the executions port; each adapter puts its own in its place. */
export const STEPS_FUNCTION = '$' + '{steps}';

export interface Emitted {
  readonly definition: StateMachine;
  readonly tier: 'EXPRESS' | 'STANDARD';
}

/** A state's name in a machine has at most this many characters. */
const LONGEST_NAME = 80;

/**
 * Lambda's own passing faults are tried again, as is a call that committed and has more to do; a run's own failure is
 * thrown under its error code and ends the execution.
 */
const RETRY: readonly Retrier[] = [
  { ErrorEquals: ['Weft.Again'], IntervalSeconds: 1, MaxAttempts: 100_000, BackoffRate: 1 },
  {
    ErrorEquals: [
      'Lambda.ServiceException',
      'Lambda.AWSLambdaException',
      'Lambda.SdkClientException',
      'Lambda.TooManyRequestsException',
      'Lambda.Unknown',
      'Sandbox.Timedout',
    ],
    IntervalSeconds: 1,
    MaxAttempts: 10,
    MaxDelaySeconds: 60,
    BackoffRate: 2,
    JitterStrategy: 'FULL',
  },
];

function nameOf(plan: Plan): string {
  const ids = Object.keys(plan.states);
  const last = ids.at(-1);
  const name = last === undefined || last === plan.entry ? plan.entry : `${plan.entry} … ${last}`;
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME - 1)}…`;
}

/** The state machine of a plan. A workflow that never waits is one task, however many states it has. */
export function emit(plan: Plan): Emitted {
  const segment: TaskState = {
    Type: 'Task',
    Resource: INVOKE,
    Arguments: { FunctionName: STEPS_FUNCTION, Payload: { run: '{% $states.input.run %}' } },
    Output: {},
    Retry: RETRY,
    End: true,
  };
  const name = nameOf(plan);
  const definition: StateMachine = {
    Comment: 'Made by Weft from a workflow; the states keep their names.',
    QueryLanguage: 'JSONata',
    StartAt: name,
    States: { [name]: segment },
  };
  return { definition, tier: isWaitFree(plan) && isAcyclic(plan) ? 'EXPRESS' : 'STANDARD' };
}
