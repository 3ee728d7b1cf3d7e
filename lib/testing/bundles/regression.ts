import { dump } from 'js-yaml';
import type { Mock, MockAnswer, TestCase, TestDecision, TestEvent } from '../format/suite.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Fields without those that are absent, empty or zero. */
function present(fields: Fields): Fields {
  const isAbsent = (value: unknown): boolean =>
    value === undefined ||
    value === 'PT0S' ||
    (typeof value === 'object' && value !== null && !Object.keys(value).length);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isAbsent(value)));
}

function answerFields({ return: value, error, delay, repeat }: MockAnswer): Fields {
  const others = present({ delay, repeat: repeat ? true : undefined });
  // An empty result is written: an answer has a result or an error.
  return error === undefined ? { return: value ?? null, ...others } : { error, ...others };
}

const mockFields = ({ answers, isConstant }: Mock): unknown => {
  const [first] = answers;
  return isConstant && first !== undefined
    ? { ...answerFields(first), idempotent: true }
    : { answers: answers.map(answerFields), idempotent: true };
};

const eventFields = ({ after, type, source, id, data, context }: TestEvent): Fields => ({
  ...context,
  ...present({ after, type, source, id, data }),
});

const decisionFields = ({ after, state, choice, form, by, from }: TestDecision): Fields =>
  present({ after, state, choice, form, by, from });

/** The text of a file of tests with one case, whose times are durations. `workflow` is relative to the file. */
export function testText(workflow: string, test: TestCase): string {
  const { name, input, variables, secrets, mocks, events, decisions, now, expect } = test;
  const { status, error, output, states } = expect;
  const one = {
    name,
    input: input ?? {},
    ...present({
      variables: present({ namespace: variables.namespace, workflow: variables.workflow }),
      secrets,
      mocks: Object.fromEntries(mocks.map((mock) => [mock.function, mockFields(mock)])),
      events: events.map(eventFields),
      decisions: decisions.map(decisionFields),
      now: now === undefined ? undefined : new Date(now).toISOString(),
    }),
    expect: { ...(status === 'crashed' ? { status } : {}), ...present({ error, output }), states },
  };
  return dump({ workflow, cases: [one] }, { lineWidth: 120, noRefs: true });
}
