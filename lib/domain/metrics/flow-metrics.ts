import { numberAt, type Sums, sumsAt } from './sums.ts';

type Counts = Readonly<Record<string, number>>;

const numbersIn = (sums: Sums): Counts =>
  Object.fromEntries(Object.keys(sums).map((name) => [name, numberAt(sums, name)]));
const totalOf = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);
const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
const sharesOf = (counts: Counts, whole = totalOf(counts)): Counts =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, share(count, whole)]));

/** How often each invoker, the start of a run or another state, led to a state. */
function invokersOf(flow: Sums, state: string): Counts {
  const states = Object.entries(sumsAt(flow, 'states'));
  const before = states.map(([name]): [string, number] => {
    return [name, numberAt(sumsAt(sumsAt(sumsAt(flow, 'states'), name), 'to'), state)];
  });
  const all: [string, number][] = [['start', numberAt(sumsAt(flow, 'start'), state)], ...before];
  return Object.fromEntries(all.filter(([, count]) => count > 0));
}

/** The number of executions of a state: the transitions from it, and the runs that ended in it. */
export function executionsOf(state: Sums): number {
  return totalOf(numbersIn(sumsAt(state, 'to'))) + numberAt(state, 'done') + numberAt(state, 'failed');
}

function toState(flow: Sums, name: string, runs: number) {
  const state = sumsAt(sumsAt(flow, 'states'), name);
  const [success, failure] = [numberAt(state, 'done'), numberAt(state, 'failed')];
  const [retries, ms] = [numberAt(state, 'retries'), numberAt(state, 'ms')];
  const transitions = numbersIn(sumsAt(state, 'to'));
  const executions = executionsOf(state);
  const invokers = invokersOf(flow, name);
  const unhandledErrors = numbersIn(sumsAt(state, 'codes'));
  return {
    name,
    invokers,
    invokersRepresentation: sharesOf(invokers, executions),
    totalExecutions: executions,
    totalMilliseconds: ms,
    totalSuccesses: success,
    totalFailures: failure,
    unhandledErrors,
    unhandledErrorsRepresentation: sharesOf(unhandledErrors),
    totalRetries: retries,
    outcomes: { success, failure, transitions },
    meanExecutionsPerInstance: Math.round(share(executions, runs)),
    meanMillisecondsPerInstance: Math.round(share(ms, runs)),
    successRate: share(success, executions),
    failureRate: share(failure, executions),
    meanRetries: share(retries, executions),
    meanOutcomes: {
      success: share(success, executions),
      failure: share(failure, executions),
      transitions: sharesOf(transitions, executions),
    },
  };
}

/**
 * Converts a counter into the metrics of a workflow's states (rest-api reference, 13). `sampleSize` is the number of runs
 * whose states are known: of a run with too many states only the end is.
 */
export function toFlow(flow: Sums) {
  const [done, failed, ms] = [numberAt(flow, 'done'), numberAt(flow, 'failed'), numberAt(flow, 'ms')];
  const runs = done + failed;
  const sampleSize = numberAt(flow, 'told');
  const errorCodes = numbersIn(sumsAt(flow, 'codes'));
  return {
    totalInstancesRun: runs,
    totalInstanceMilliseconds: ms,
    successfulExecutions: done,
    failedExecutions: failed,
    errorCodes,
    errorCodesRepresentation: sharesOf(errorCodes),
    sampleSize,
    meanInstanceMilliseconds: Math.round(share(ms, runs)),
    successRate: share(done, runs),
    failureRate: share(failed, runs),
    states: Object.keys(sumsAt(flow, 'states')).map((name) => toState(flow, name, sampleSize)),
  };
}
