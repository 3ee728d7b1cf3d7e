import type { Json } from '../../language/yaml/parser.ts';
import { functionIn, functionName } from '../format/function-keys.ts';
import type { Mock, MockAnswer } from '../format/suite.ts';
import { differences } from '../matching/differences.ts';

/** A call of a function, as its mock receives it. */
export interface MockedCall {
  /** The key of the function (`functionKey`). */
  readonly function: string;
  /** The id of the call: a step that is repeated makes its calls with the same ids. */
  readonly id: string;
  readonly input: unknown;
}

/** The reply of a mock to a call, or the reason why there is none. */
export type Answered = { readonly answer: MockAnswer } | { readonly problem: string };

const ORDINALS = ['', 'a first', 'a second', 'a third', 'a fourth', 'a fifth'];
const times = (count: number): string => ORDINALS[count] ?? `call ${count}`;

/** The mocks of one run of a case, with the answers that are used up. Mocks are by the keys of their functions. */
export class MockScript {
  readonly #mocks: ReadonlyMap<string, Mock>;
  readonly #used = new Map<Mock, Set<MockAnswer>>();
  readonly #calls = new Map<string, number>();
  /** The answers by the ids of the calls: a repeated call gets the same. */
  readonly #given = new Map<string, Answered>();

  constructor(mocks: ReadonlyMap<string, Mock>) {
    this.#mocks = mocks;
  }

  /** Whether a repeated call of the function has its effect once. */
  isIdempotent(key: string): boolean {
    return this.#mocks.get(key)?.idempotent ?? false;
  }

  /** Answers a call. A call with an id that was answered before gets the same answer. */
  answer(call: MockedCall): Answered {
    const known = this.#given.get(call.id);
    if (known !== undefined) return known;
    const answered = this.#next(call);
    this.#given.set(call.id, answered);
    return answered;
  }

  #next({ function: key, input }: MockedCall): Answered {
    const count = (this.#calls.get(key) ?? 0) + 1;
    this.#calls.set(key, count);
    const mock = this.#mocks.get(key);
    if (mock === undefined) return { problem: needsMock(key) };
    const used = this.#used.get(mock) ?? new Set<MockAnswer>();
    this.#used.set(mock, used);
    const answer = mock.answers.find((one) => !used.has(one) && isFor(one, input));
    if (answer === undefined) return { problem: exhausted(mock, count, input) };
    if (!mock.isConstant && !answer.repeat) used.add(answer);
    return { answer };
  }
}

const isFor = ({ input: expected }: MockAnswer, input: unknown): boolean =>
  expected === undefined || differences(expected, input).length === 0;

function needsMock(key: string): string {
  return (
    `a test cannot call the function ${functionName(key)}: add a mock, ` +
    `for example mocks: {${functionIn(key, '').id}: {return: {}}}`
  );
}

function exhausted({ function: id, answers }: Mock, count: number, input: unknown): string {
  const unmatched = answers.some(({ input: expected }) => expected !== undefined);
  const text = JSON.stringify(input as Json).slice(0, 200);
  if (unmatched) return `the mock of '${id}' has no answer left for ${times(count)} call with the input ${text}`;
  const has = `${answers.length} ${answers.length === 1 ? 'answer' : 'answers'}`;
  return `the mock of '${id}' has ${has}, and the function was called ${times(count)} time; add 'repeat: true' to the last`;
}
