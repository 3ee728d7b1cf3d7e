import { numberAt, type Sums, sumsAt } from './sums.ts';

type Counts = Readonly<Record<string, number>>;

const numbersIn = (sums: Sums): Counts =>
  Object.fromEntries(Object.keys(sums).map((name) => [name, numberAt(sums, name)]));
const totalOf = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);
const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
const sharesOf = (counts: Counts, whole = totalOf(counts)): Counts =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, share(count, whole)]));

/** How often a state was begun, and by whom: the start of a run, or another state. */
function invokersOf(flow: Sums, state: string): Counts {
  const states = Object.entries(sumsAt(flow, 'states'));
  const before = states.map(([name]): [string, number] => {
    return [name, numberAt(sumsAt(sumsAt(sumsAt(flow, 'states'), name), 'to'), state)];
  });
  const all: [string, number][] = [['start', numberAt(sumsAt(flow, 'start'), state)], ...before];
  return Object.fromEntries(all.filter(([, count]) => count > 0));
}

/** How often a state was done: it led to another one, or the run ended in it. */
export function executionsOf(state: Sums): number {
  return totalOf(numbersIn(sumsAt(state, 'to'))) + numberAt(state, 'done') + numberAt(state, 'failed');
}

function toState(flow: Sums, name: string, runs: number) {
  const state = sumsAt(sumsAt(flow, 'states'), name);
  const [success, failure, retries, ms] = ['done', 'failed', 'retries', 'ms'].map((part) => numberAt(state, part)) as [
    number,
    number,
    number,
    number,
  ];
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
 * How runs moved from state to state (rest-api reference, 13). `sampleSize`: the runs whose states are known; of a run
 * in too many states only the end is.
 */
export function toFlow(flow: Sums) {
  const [done, failed, ms] = [numberAt(flow, 'done'), numberAt(flow, 'failed'), numberAt(flow, 'ms')];
  const runs = done + failed;
  const told = numberAt(flow, 'told');
  const errorCodes = numbersIn(sumsAt(flow, 'codes'));
  return {
    totalInstancesRun: runs,
    totalInstanceMilliseconds: ms,
    successfulExecutions: done,
    failedExecutions: failed,
    errorCodes,
    errorCodesRepresentation: sharesOf(errorCodes),
    sampleSize: told,
    meanInstanceMilliseconds: Math.round(share(ms, runs)),
    successRate: share(done, runs),
    failureRate: share(failed, runs),
    states: Object.keys(sumsAt(flow, 'states')).map((name) => toState(flow, name, told)),
  };
}
