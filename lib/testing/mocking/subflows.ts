import type { Json } from '../../language/yaml/parser.ts';
import type { Mock, MockAnswer } from '../format/suite.ts';

/** A workflow that answers as a mock does, or the reason why no workflow can. */
export type MockSubflow = { readonly source: string } | { readonly reason: string };

const HAS_SCRIPT = /\b(?:jq|js)\(/;

function obstacleOf({ answers, isConstant }: Mock): string | undefined {
  const [only, ...others] = answers;
  if (only === undefined || others.length > 0) return 'has several answers';
  if (!(isConstant || only.repeat)) return 'has an answer for one call only';
  if (only.input !== undefined) return 'selects its answer by the input';
  if (Object.keys(only.variables).length > 0) return 'sets variables';
  const { return: value, error } = only;
  if (value !== undefined && (typeof value !== 'object' || value === null || Array.isArray(value))) {
    return 'returns a value that is no object';
  }
  if (error !== undefined && HAS_SCRIPT.test(`${error.code}${error.message}`)) return 'has a script in its error';
  return undefined;
}

function answerState({ return: value, error }: MockAnswer): Json {
  // Text is JSON, and JSON is jq: a value that looks like a script stays as it is.
  if (error === undefined) return { id: 'answer', type: 'noop', transform: `jq(${JSON.stringify(value ?? {})})` };
  return { id: 'answer', type: 'error', error: error.code, message: error.message };
}

/** The workflow that stands for a mocked function on a service. */
export function mockSubflow(mock: Mock): MockSubflow {
  const obstacle = obstacleOf(mock);
  const [answer] = mock.answers;
  if (obstacle !== undefined || answer === undefined) {
    return { reason: `the mock of '${mock.function}' ${obstacle ?? 'has no answer'}` };
  }
  const wait = { id: 'wait', type: 'delay', duration: answer.delay ?? '', transition: 'answer' };
  const states = [...(answer.delay === undefined ? [] : [wait]), answerState(answer)];
  return { source: JSON.stringify({ states }) };
}
