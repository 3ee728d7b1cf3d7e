import type { Plan } from '../../compiler/plan/plan.ts';
import { textOf } from '../../language/own-members.ts';
import type { Json } from '../../language/yaml/parser.ts';
import { DECIDER } from '../format/decisions.ts';
import { functionKey } from '../format/function-keys.ts';
import type { Span } from '../format/moments.ts';
import type { Mock, MockAnswer, TestCase, TestDecision, TestEvent } from '../format/suite.ts';
import type { PreparedCase, TestWorkflow } from '../prepared.ts';
import type { Bundle, BundledCall } from './bundle.ts';

const NOWHERE = { line: 1, column: 1 };

/** How times are rounded: tests have whole seconds. */
export type Rounding = (milliseconds: number) => Span;

const toAnswer = (call: BundledCall, round: Rounding): MockAnswer => ({
  input: undefined,
  return: call.error === undefined ? ((call.return ?? null) as Json) : undefined,
  error: call.error,
  delay: round(call.took),
  variables: {},
  repeat: false,
});

/** A call that had not returned when the run continued is not recorded. Its mock returns after the end of the run. */
const NEVER: MockAnswer = {
  input: undefined,
  return: {},
  error: undefined,
  delay: 'P1000D',
  variables: {},
  repeat: true,
};

/** Whether a run may continue before a call of the function has returned. */
function mayBeLeft({ states }: Plan, id: string): boolean {
  return Object.values(states).some(({ work }) => {
    if (work.do === 'call') return work.action.function === id && (work.async || work.timeout !== undefined);
    if (work.do === 'approve')
      return [work.notify, ...work.reminders.map(({ action }) => action)].some((one) => one?.function === id);
    if (work.do === 'each') return work.action.function === id && work.timeout !== undefined;
    if (work.do !== 'all' || !work.actions.some((action) => action.function === id)) return false;
    return work.mode === 'or' || work.timeout !== undefined;
  });
}

function mocksOf({ calls }: Bundle, plan: Plan, round: Rounding): Mock[] {
  return Object.keys(plan.functions).map((id) => {
    const made = calls.filter((call) => call.function === id);
    const returned = made.map((call) => toAnswer(call, round));
    const answers = made.length === 0 || mayBeLeft(plan, id) ? [...returned, NEVER] : returned;
    return { ...NOWHERE, function: id, answers, isConstant: made.length === 0, idempotent: true, isShared: false };
  });
}

function toEvent({ after, event }: Bundle['events'][number], round: Rounding): TestEvent {
  const { specversion: _, datacontenttype: _type, id, source, type, data, ...context } = event;
  return {
    ...NOWHERE,
    after: round(after),
    type: textOf(type),
    source: textOf(source),
    id: textOf(id),
    data: data as Json | undefined,
    context: context as Readonly<Record<string, Json>>,
  };
}

function toDecision(
  { after, state, choice, form = {}, by = DECIDER.by, from = DECIDER.from }: NonNullable<Bundle['decisions']>[number],
  round: Rounding,
): TestDecision {
  return { ...NOWHERE, after: round(after), state, choice, form: form as TestDecision['form'], by, from };
}

/** The value that stands for a secret, which no bundle contains. */
const placeholderOf = (secret: string): string => `the secret ${secret}`;

/**
 * The case that a bundle describes, for a revision of its workflow: the recorded calls answer the functions of the
 * revision in their order, and the result is that of the recorded run.
 */
function caseOf(bundle: Bundle, plan: Plan, round: Rounding): TestCase {
  const { instance, input, variables, secrets, outcome } = bundle;
  const { status, error, output, states } = outcome;
  return {
    ...NOWHERE,
    name: `instance ${instance.id}`,
    workflow: '',
    others: [],
    input: (input ?? {}) as Json,
    variables: variables as TestCase['variables'],
    secrets: Object.fromEntries(secrets.map((name) => [name, placeholderOf(name)])),
    mocks: mocksOf(bundle, plan, round),
    events: bundle.events.map((one) => toEvent(one, round)),
    decisions: (bundle.decisions ?? []).map((one) => toDecision(one, round)),
    now: Date.parse(instance.startedAt),
    skip: undefined,
    expect: {
      status,
      error,
      output: error === undefined ? (output as Json | undefined) : undefined,
      states,
      calls: {},
      events: undefined,
      variables: {},
      took: undefined,
      runs: undefined,
      places: {},
    },
  };
}

/** The case of a bundle with a workflow. All functions of the workflow are answered by the recorded calls. */
export function prepareReplay(bundle: Bundle, workflow: TestWorkflow, round: Rounding): PreparedCase {
  const test = caseOf(bundle, workflow.plan, round);
  const mocks = new Map(test.mocks.map((mock) => [functionKey(workflow.path, mock.function), mock]));
  return { test, main: workflow, workflows: new Map([[workflow.path, workflow]]), mocks, missing: [] };
}
