/** Where a clause of the workflow language is tested, beside the examples in `clauses.ts`. */
interface ClauseTests {
  /** The number of the clause in the reference. */
  readonly clause: string;
  readonly about: string;
  /** Below `test/`. */
  readonly tests: readonly string[];
}

/** The outcomes recorded from the original: `workflows.json` and `runs.jsonl`. */
const RECORDED = ['service/recorded/conformance.test.ts', 'service/recorded/runs.test.ts'];
const STORED = 'compiler/conformance.test.ts';
const INVALID = 'compiler/invalid-states.test.ts';

const row = (clause: string, about: string, ...tests: readonly string[]): ClauseTests => ({ clause, about, tests });

/** Every clause of the reference that says how a workflow is stored or runs. */
export const CLAUSES: readonly ClauseTests[] = [
  row('1.1', 'YAML', 'language/yaml/parser.test.ts', STORED),
  row('1.2', 'strict types and unknown fields', 'compiler/compile.test.ts', INVALID),
  row('1.3', 'states, functions and start', 'compiler/compile.test.ts'),
  row('1.4', 'top-level fields', 'compiler/compile.test.ts'),
  row('1.5', 'names', 'compiler/compile.test.ts', 'service/namespaces/variables.test.ts', 'service/tree/tree.test.ts'),
  row('1.6', 'durations', 'time/durations.test.ts'),
  row('1.7', 'validation and its messages', 'compiler/compile.test.ts', STORED, 'engine/containers/clauses.test.ts'),
  row('1.8', 'validation when a workflow is stored', 'service/tree/revisions.test.ts'),
  row('2', 'functions', 'compiler/compile.test.ts', 'service/containers/workflow-services.test.ts'),
  row('2.1', 'actions and their files', 'engine/containers/clauses.test.ts', 'engine/containers/variables.test.ts'),
  row('3', 'starts', 'service/events/starts.test.ts', 'service/events/cron.test.ts', 'time/cron/cron.test.ts'),
  row('4', 'data of a run', 'service/runs/execution.test.ts', ...RECORDED),
  row('5.1', 'structured queries', 'language/sandbox/queries.test.ts'),
  row('5.2', 'texts with scripts', 'language/sandbox/queries.test.ts', 'language/scripts/scripts.test.ts'),
  row('5.3', 'jq', 'language/sandbox/queries-recorded.test.ts', 'service/input/jq.test.ts'),
  row('5.4', 'JavaScript', 'language/sandbox/queries-recorded.test.ts'),
  row('5.5', 'errors of queries', ...RECORDED, 'engine/containers/clauses.test.ts'),
  row('5.6', 'transforms', ...RECORDED),
  row('6', 'what every state has', ...RECORDED),
  row('6.4', 'secrets', ...RECORDED, 'service/namespaces/secret-canary.test.ts'),
  row('7.1', 'kinds of errors', ...RECORDED, 'engine/containers/endings.test.ts'),
  row('7.2', 'catch', ...RECORDED),
  row('7.3', 'patterns', 'language/patterns.test.ts'),
  row('7.4', 'codes', ...RECORDED),
  row('7.5', 'retries', 'engine/calls/retry-decisions.test.ts', 'engine/containers/clauses.test.ts'),
  row('7.6', 'cancellation', 'engine/calls/cancellation.test.ts', 'engine/timeouts.test.ts'),
  row('8', 'timeouts', 'engine/timeouts.test.ts'),
  row('9', 'subflows', ...RECORDED),
  row('10.1', 'noop', ...RECORDED),
  row('10.2', 'delay', ...RECORDED),
  row('10.3', 'action', 'engine/containers/calls.test.ts', ...RECORDED),
  row('10.4', 'foreach', 'engine/calls/loops.test.ts', 'engine/containers/clauses.test.ts'),
  row('10.5', 'parallel', 'engine/calls/parallel.test.ts'),
  row('10.6', 'switch', ...RECORDED),
  row('10.7', 'error', ...RECORDED, 'language/printf.test.ts'),
  row('10.8', 'validate', 'language/schemas/violations.test.ts', ...RECORDED),
  row('10.9', 'getter', 'engine/run/tree-files.test.ts', ...RECORDED),
  row('10.10', 'setter', ...RECORDED),
  row('10.11', 'consumeEvent', 'service/events/waits.test.ts', ...RECORDED),
  row('10.12', 'eventsAnd', 'service/events/waits.test.ts', 'conformance/clauses.test.ts'),
  row('10.13', 'eventsXor', 'service/events/waits.test.ts', ...RECORDED),
  row('10.14', 'generateEvent', 'engine/containers/clauses.test.ts', 'service/events/waits.test.ts', ...RECORDED),
  row('11', 'the protocol of containers', 'engine/containers/calls.test.ts', 'containers/sidecar/files.test.ts'),
  row('12', 'variables', 'engine/containers/variables.test.ts', 'service/namespaces/variables.test.ts'),
  row('13', 'log lines', 'engine/run/log-lines.test.ts', ...RECORDED),
];
