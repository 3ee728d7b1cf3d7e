import { isTimed, type WaitingState } from '../plan/execution.ts';
import type { ActionPlan, WorkOf } from '../plan/plan.ts';
import type { WaitingKind } from '../plan/traits.ts';
import { type Branch, type Catcher, INVOKE_AND_WAIT, type Onward, type Retrier, type State } from './asl.ts';
import { TASK_ERROR, TRANSIENT_ERRORS } from './task-protocol.ts';

/** The name of the steps function in a definition; each adapter of the port `Executions` replaces it. */
export const STEPS_FUNCTION = '$' + '{steps}';

/** The data by which a step finds its run: the run's id, and the name of the execution that calls. */
export const EXECUTION = {
  run: '{% $states.context.Execution.Input.run %}',
  execution: '{% $states.context.Execution.Name %}',
};

/**
 * Retries transient errors: at most a minute apart, with full jitter. When the attempts are exhausted, the run continues in
 * a new execution; the history of one execution holds this many attempts of 200 concurrent calls.
 */
const transientRetrier = (MaxAttempts: number): Retrier => ({
  ErrorEquals: TRANSIENT_ERRORS,
  IntervalSeconds: 1,
  MaxAttempts,
  MaxDelaySeconds: 60,
  BackoffRate: 2,
  JitterStrategy: 'FULL',
});

/** The attempts of one call of many, about five minutes, and of a task that is alone in its history, about three hours. */
const MAX_FAULTS_OF_CALL = 15;
const MAX_FAULTS_OF_BATCH = 400;

/** Retries a function that ended without a result: a task that exhausts the memory or the time does so again. */
const ENDED_FUNCTION: Retrier = {
  ErrorEquals: ['Lambda.Unknown', 'Sandbox.Timedout', 'Runtime.ExitError'],
  IntervalSeconds: 1,
  MaxAttempts: 10,
  MaxDelaySeconds: 60,
  BackoffRate: 2,
  JitterStrategy: 'FULL',
};

/** The retriers of a task of a wait. */
export const RETRY: readonly Retrier[] = [transientRetrier(MAX_FAULTS_OF_CALL), ENDED_FUNCTION];

/** The retriers of the task of a batch: the first repeats a call that committed before the batch was complete. */
export const RETRY_BATCH: readonly Retrier[] = [
  { ErrorEquals: [TASK_ERROR.again], IntervalSeconds: 1, MaxAttempts: 100_000, BackoffRate: 1 },
  transientRetrier(MAX_FAULTS_OF_BATCH),
  ENDED_FUNCTION,
];

/** How the states of a wait are connected with their machine. */
export interface Wiring {
  /** The name of the first state. */
  readonly name: string;
  /** The task that continues when the wait is over. */
  readonly after: string;
  /** How the machine continues after a wait whose task ends with the outcome of a batch: as the task `after` does. */
  readonly onward: Onward;
  /** Leads every error of a task to `after`, also the errors by which a reply lets the step resume the run. */
  readonly onError: readonly Catcher[];
  /** Assigns a unique name, similar to the wanted one. */
  readonly assignName: (wanted: string) => string;
}

type States = Readonly<Record<string, State>>;

const TOKEN = '{% $states.context.Task.Token %}';
/** The number of the wait: each state of a wait has it in its input, and passes it on. */
const PAUSE = '{% $states.input.pause %}';
const WITH_PAUSE = "{% $merge([$states.result, {'pause': $states.input.pause}]) %}";
/** The results of concurrent calls, of which each names its call. */
const ALL_WITH_PAUSE = "{% {'returned': $states.result, 'pause': $states.input.pause} %}";

/** A task that calls the steps function and ends by its token, after `seconds` at the latest; by default those of its input. */
function waitForToken(payload: object, seconds = '{% $states.input.seconds %}'): State & { readonly Type: 'Task' } {
  return {
    Type: 'Task',
    Resource: INVOKE_AND_WAIT,
    Arguments: { FunctionName: STEPS_FUNCTION, Payload: { ...EXECUTION, ...payload, token: TOKEN } },
    TimeoutSeconds: seconds,
    Output: WITH_PAUSE,
    Retry: RETRY,
  };
}

/** The seconds that are left, as the cause of that error has them. */
const REST = "{% $merge([$parse($states.errorOutput.Cause), {'pause': $states.input.pause}]) %}";
/** A timer that does not ring within this time after its wait is lost, seconds. */
const TIMER_MARGIN_SECONDS = 300;

const waitFor = (Seconds: string, Next: string): State => ({ Type: 'Wait', Seconds, Next });

/**
 * A short delay is a state of its own. For a longer one the steps function sets a timer, which resumes the run and ends the
 * task with the outcome; otherwise an error leads to the batch, or to a state that waits for the rest of the time.
 */
function sleep(work: WorkOf<'sleep'>, { name, after, onward, onError, assignName }: Wiring): States {
  if (!isTimed(work)) return { [name]: waitFor('{% $states.input.seconds %}', after) };
  const rest = assignName(`${name} rest`);
  const limit = `{% $states.input.seconds + ${TIMER_MARGIN_SECONDS} %}`;
  const catchRest: Catcher = { ErrorEquals: [TASK_ERROR.rest], Output: REST, Next: rest };
  return {
    [name]: {
      ...waitForToken({ sleep: PAUSE }, limit),
      Output: '{% $states.result %}',
      ...onward,
      Catch: [catchRest, ...onError],
    },
    [rest]: waitFor('{% $states.input.seconds %}', after),
  };
}

/**
 * The process that takes the event or the decision usually resumes the run, and the task ends with the next wait or the end. If
 * that process cannot, the task ends with an error, and the batch resumes the run.
 */
function listen({ name, onward, onError }: Wiring): States {
  return {
    [name]: { ...waitForToken({ listen: PAUSE }), Output: '{% $states.result %}', ...onward, Catch: onError },
  };
}

/** How the states of one of many calls are connected. */
interface CallWiring {
  /** The name of the first state. */
  readonly first: string;
  /** The name of the wait, from which the names of the other states are made. */
  readonly name: string;
  /** The expression for the number of the call, in the input of the first state. */
  readonly number: string;
  /** The expression for the timeout of the call; by default the seconds of its input. */
  readonly seconds?: string;
  readonly assignName: (wanted: string) => string;
}

/** One of many calls, which is a branch. If it has retries, a failed attempt returns the seconds until the next one as `again`. */
function branchStates({ retries }: ActionPlan, { first, name, number, seconds, assignName }: CallWiring): States {
  const call = waitForToken({ pause: PAUSE, call: number }, seconds);
  if (retries === undefined) return { [first]: { ...call, End: true } };
  const choice = assignName(`${name} again?`);
  const delay = assignName(`${name} retry`);
  const done = assignName(`${name} done`);
  return {
    [first]: { ...call, Next: choice },
    [choice]: {
      Type: 'Choice',
      Choices: [{ Condition: '{% $exists($states.input.again) %}', Next: delay }],
      Default: done,
    },
    [delay]: { Type: 'Wait', Seconds: '{% $states.input.again %}', Next: first },
    [done]: { Type: 'Succeed' },
  };
}

/** The next attempt, as the cause of that error has it. */
const NEXT_ATTEMPT = "{% $merge([$parse($states.errorOutput.Cause), {'pause': $states.input.pause}]) %}";

/**
 * The only call of a state. Its end also resumes the run, and the task ends with the outcome; otherwise an error leads to
 * the batch, or to a pause and another attempt.
 */
function call({ action }: WorkOf<'call'>, { name, onward, onError, assignName }: Wiring): States {
  // A repeated call has its number as the whole input.
  const number = '{% $exists($states.input.calls) ? $states.input.calls[0] : $states.input %}';
  const task = {
    ...waitForToken({ pause: PAUSE, call: number, alone: true }),
    Output: '{% $states.result %}',
    ...onward,
  };
  if (action.retries === undefined) return { [name]: { ...task, Catch: onError } };
  const delay = assignName(`${name} retry`);
  const again: Catcher = { ErrorEquals: [TASK_ERROR.retry], Output: NEXT_ATTEMPT, Next: delay };
  return {
    [name]: { ...task, Catch: [again, ...onError] },
    [delay]: { Type: 'Wait', Seconds: '{% $states.input.again %}', Next: name },
  };
}

/** Calls that wait for their turn get the time at which all of them began: the seconds of their input count from then. */
const TURNS = {
  selector: "{% $merge([$states.context.Map.Item.Value, {'began': $states.context.State.EnteredTime}]) %}",
  seconds:
    '{% $exists($states.input.began) ? $max([1, $states.input.seconds - $floor(' +
    '($toMillis($states.context.State.EnteredTime) - $toMillis($states.input.began)) / 1000)]) : $states.input.seconds %}',
};

/**
 * Concurrent calls, at most `width` at once. One branch serves all of them, with retries if any of the actions has them.
 */
function concurrentCalls(actions: readonly ActionPlan[], wait: Wiring, width?: number): States {
  const { name, after, onError, assignName } = wait;
  const first = assignName(`${name} call`);
  const action = actions.find(({ retries }) => retries !== undefined) ?? actions[0];
  const timeout = width === undefined ? {} : { seconds: TURNS.seconds };
  const wiring: CallWiring = { first, name, number: '{% $states.input %}', assignName, ...timeout };
  const branch: Branch = { StartAt: first, States: action === undefined ? {} : branchStates(action, wiring) };
  const map: State = {
    Type: 'Map',
    Items: '{% $states.input.calls %}',
    ...(width === undefined ? {} : { ItemSelector: TURNS.selector, MaxConcurrency: width }),
    ItemProcessor: branch,
    Output: ALL_WITH_PAUSE,
    Catch: onError,
    Next: after,
  };
  return { [name]: map };
}

interface WaitForm<K extends WaitingKind> {
  readonly makeStates: (work: WorkOf<K>, wiring: Wiring) => States;
  /** Whether the work may wait several times in a row, once for each round of calls or reminder. */
  readonly hasRounds: (work: WorkOf<K>) => boolean;
}

const never = (): boolean => false;
const always = (): boolean => true;

/** The form of each kind of work that may wait. */
const WAITS: { readonly [K in WaitingKind]: WaitForm<K> } = {
  sleep: { makeStates: sleep, hasRounds: never },
  listen: { makeStates: (_work, wiring) => listen(wiring), hasRounds: never },
  'listen-any': { makeStates: (_work, wiring) => listen(wiring), hasRounds: never },
  // Each reminder ends a wait of the state.
  approve: { makeStates: (_work, wiring) => listen(wiring), hasRounds: ({ reminders }) => reminders.length > 0 },
  call: { makeStates: call, hasRounds: never },
  each: { makeStates: ({ action, width }, wiring) => concurrentCalls([action], wiring, width), hasRounds: always },
  all: { makeStates: ({ actions }, wiring) => concurrentCalls(actions, wiring), hasRounds: always },
};

// The row of a kind takes the work of that kind only, which the type checker cannot see.
const formOf = (work: WorkOf<WaitingKind>) => WAITS[work.do] as WaitForm<WaitingKind>;

/** Returns the states of Step Functions in which a state of the workflow waits (docs/how-it-runs.md). */
export function waitStates({ work }: WaitingState, wiring: Wiring): States {
  return formOf(work).makeStates(work, wiring);
}

/** True for a state whose wait may be followed by itself, for the next round of calls. */
export function hasRounds({ work }: WaitingState): boolean {
  return formOf(work).hasRounds(work);
}
