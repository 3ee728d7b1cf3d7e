import type { ActionPlan, StatePlan, Work } from '../plan/plan.ts';
import { type Branch, type Catcher, INVOKE_AND_WAIT, type Retrier, type State } from './asl.ts';

/** The name under which the steps function is known to the executions port; each adapter puts its own in its place. */
export const STEPS_FUNCTION = '$' + '{steps}';

/** The run that an execution works on, and the execution's own name. */
export const EXECUTION = {
  run: '{% $states.context.Execution.Input.run %}',
  execution: '{% $states.context.Execution.Name %}',
};

/** Lambda's own passing faults are tried again. */
export const RETRY: readonly Retrier[] = [
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

/** How a pause is tied into its machine. */
export interface Wiring {
  readonly name: string;
  /** The task that goes on when the pause is over. */
  readonly after: string;
  readonly onFailure: readonly Catcher[];
  /** A free name, as near to the one wanted as can be. */
  readonly take: (wanted: string) => string;
}

type States = Readonly<Record<string, State>>;

const TOKEN = '{% $states.context.Task.Token %}';

/** A task that the steps function begins and somebody else ends, in so many seconds at most. */
function waitFor(what: object): State & { readonly Type: 'Task' } {
  return {
    Type: 'Task',
    Resource: INVOKE_AND_WAIT,
    Arguments: { FunctionName: STEPS_FUNCTION, Payload: { ...EXECUTION, ...what, token: TOKEN } },
    TimeoutSeconds: '{% $states.input.seconds %}',
    Retry: RETRY,
  };
}

function sleep(_work: Work, { name, after }: Wiring): States {
  return { [name]: { Type: 'Wait', Seconds: '{% $states.input.seconds %}', Next: after } };
}

function listen(_work: Work, { name, after, onFailure }: Wiring): States {
  return { [name]: { ...waitFor({ listen: '{% $pause %}' }), Next: after, Catch: onFailure } };
}

/**
 * A call, and its repetitions: a call that is to be made again answers after how many seconds. `which` is the
 * expression for the call to be made, in the input of the first task.
 */
function callStates(which: string, first: string, action: ActionPlan, wiring: Wiring): States {
  const call = waitFor({ pause: '{% $pause %}', call: which });
  const end = wiring.after === '' ? { End: true as const } : { Next: wiring.after };
  const guarded = wiring.onFailure.length === 0 ? call : { ...call, Catch: wiring.onFailure };
  if (action.retries === undefined) return { [first]: { ...guarded, ...end } };
  const again = wiring.take(`${wiring.name} again?`);
  const pause = wiring.take(`${wiring.name} retry`);
  const done = wiring.after === '' ? wiring.take(`${wiring.name} done`) : wiring.after;
  return {
    [first]: { ...guarded, Next: again },
    [again]: {
      Type: 'Choice',
      Choices: [{ Condition: '{% $exists($states.input.again) %}', Next: pause }],
      Default: done,
    },
    [pause]: { Type: 'Wait', Seconds: '{% $states.input.again %}', Next: first },
    ...(wiring.after === '' ? { [done]: { Type: 'Succeed' } } : {}),
  };
}

function call(work: Extract<Work, { do: 'call' }>, wiring: Wiring): States {
  const which = '{% $exists($states.input.calls) ? $states.input.calls[0] : $states.input %}';
  return callStates(which, wiring.name, work.action, wiring);
}

const isRetried = (actions: readonly ActionPlan[]): ActionPlan | undefined =>
  actions.find(({ retries }) => retries !== undefined) ?? actions[0];

/** The calls of a round side by side. */
function many(actions: readonly ActionPlan[], { name, after, onFailure, take }: Wiring): States {
  const first = take(`${name} call`);
  const action = isRetried(actions);
  const inner: Wiring = { name, after: '', onFailure: [], take };
  const branch: Branch = {
    StartAt: first,
    States: action === undefined ? {} : callStates('{% $states.input %}', first, action, inner),
  };
  const map: State = {
    Type: 'Map',
    Items: '{% $states.input.calls %}',
    ItemProcessor: branch,
    Catch: onFailure,
    Next: after,
  };
  return { [name]: map };
}

const PAUSES: { readonly [Kind in Work['do']]?: (work: never, wiring: Wiring) => States } = {
  sleep,
  listen,
  'listen-any': listen,
  call,
  each: (work: Extract<Work, { do: 'each' }>, wiring) => many([work.action], wiring),
  all: (work: Extract<Work, { do: 'all' }>, wiring) => many(work.actions, wiring),
};

/** The native form of a state that waits (architecture, section 4). */
export function pauseStates({ work }: StatePlan, wiring: Wiring): States {
  const make = PAUSES[work.do] as ((work: Work, wiring: Wiring) => States) | undefined;
  if (make === undefined) throw new Error(`the work '${work.do}' does not wait`);
  return make(work, wiring);
}
