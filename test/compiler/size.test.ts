import { describe, expect, test } from 'vitest';
import { compile } from '../../lib/compiler/compile.ts';
import { emit, STEPS_FUNCTION } from '../../lib/compiler/emit/emit.ts';
import { definitionBytes, MAX_DEFINITION_BYTES } from '../../lib/compiler/emit/size.ts';
import { planOf } from './texts.ts';

const chain = (count: number, state: (index: number) => string): string => {
  const states = Array.from({ length: count }, (_, index) => {
    const transition = index < count - 1 ? `, transition: s${index + 1}` : '';
    return `- {id: s${index}, ${state(index)}${transition}}\n`;
  });
  return `functions: [{id: f, type: subflow, workflow: kid}]\nstates:\n${states.join('')}`;
};
const calls = (count: number): string => chain(count, () => 'type: action, action: {function: f}');
const delays = (count: number): string => chain(count, () => 'type: delay, duration: PT1S');

const bytesOf = (yaml: string): number => JSON.stringify(emit(planOf(yaml), 'anyState').definition).length;

describe('the size of a state machine', () => {
  test('grows with the number of calls in sequence, not with its square', () => {
    const [one, two, four] = [125, 250, 500].map((count) => bytesOf(calls(count))) as [number, number, number];
    expect(one).toBeLessThan(200_000);
    expect(two / one).toBeLessThan(2.1);
    expect(four / two).toBeLessThan(2.1);
  });

  test('leads every wait of a large machine to the one batch after it', () => {
    const { StartAt, States } = emit(planOf(delays(600))).definition;
    const batches = Object.entries(States).filter(([, { Type }]) => Type === 'Task');
    const [, shared] = batches.map(([name]) => name);
    expect(batches.map(([name]) => name)).toEqual([StartAt, shared]);
    const followers = Object.values(States).flatMap((state) => (state.Type === 'Wait' ? [state.Next] : []));
    expect(followers).toEqual(Array.from({ length: 600 }, () => shared));
  });

  test('is counted with the ARN of the steps function', () => {
    const plan = planOf(calls(200));
    const text = JSON.stringify(emit(plan, 'anyState').definition);
    const arn = `arn:aws-us-gov:lambda:us-gov-west-1:123456789012:function:${'n'.repeat(64)}`;
    expect(definitionBytes(plan)).toBeGreaterThanOrEqual(text.replaceAll(STEPS_FUNCTION, arn).length);
  });

  test('of a workflow that is too large is a problem of its last state', () => {
    const compiled = compile(calls(1000));
    expect(compiled).toEqual({
      problems: [
        {
          message: expect.stringMatching(
            /^the state machine of the workflow would have 1,\d{3} KB, and Step Functions allows 1,000 KB$/,
          ),
          line: 1002,
          column: 8,
          hint: 'move some of the states that wait or call into a subflow',
        },
      ],
    });
  });

  test('of 500 calls or 3,000 delays is accepted', () => {
    expect(definitionBytes(planOf(calls(500)))).toBeLessThan(MAX_DEFINITION_BYTES);
    expect(definitionBytes(planOf(delays(3000)))).toBeLessThan(MAX_DEFINITION_BYTES);
  });
});
