import { describe, expect, test } from 'vitest';
import {
  changeBetween,
  entriesOf,
  type RecordedStep,
  recordFrom,
  recordText,
  stepsFrom,
  stepsText,
} from '../../../lib/domain/runs/records.ts';

const CREATED = 1_700_000_000_000;

const step = (n: number, more: Partial<RecordedStep> = {}): RecordedStep => ({
  n,
  state: `s${n}`,
  type: 'noop',
  entered: CREATED + n,
  left: CREATED + n,
  ...more,
});

describe('the stored text of steps', () => {
  test('is short for a chain of plain states', () => {
    const chain = [step(1, { to: 's2' }), step(2, { to: 's3' }), step(3)];
    expect(stepsText(chain, CREATED)).toBe('[{"s":"s1","e":1},{"s":"s2","e":1},{"s":"s3","e":1}]');
    expect(stepsFrom(stepsText(chain, CREATED), CREATED)).toEqual(chain);
  });

  test('gives back every part of a step', () => {
    const { left: _, ...open } = step(9, { type: 'delay', entered: CREATED + 50 });
    const steps: RecordedStep[] = [
      step(1, {
        ...{ type: 'action', left: CREATED + 40, to: 's5', because: 'catch 0', callCount: 30 },
        ...{ error: { code: 'a.b', message: 'm' }, change: { set: { x: 1 }, removed: ['y'] } },
        calls: [{ i: 0, k: 1, id: 'child', code: 'c', message: 'm', retryIn: 5 }],
      }),
      step(5, { to: 's9', base: { omitted: 7 }, inLoop: true, events: ['e1'] }),
      open,
    ];
    expect(stepsFrom(stepsText(steps, CREATED), CREATED)).toEqual(steps);
    const record = { steps, flushed: 2, bytes: 20, elided: { from: 2, to: 4, by: { s2: 3 } } };
    expect(recordFrom(recordText(record, CREATED) ?? '', CREATED)).toEqual(record);
  });
});

describe('the change between two values of the data', () => {
  test('has the members that were set and removed, and none for equal data', () => {
    expect(changeBetween({ a: 1, b: { c: 2 } }, { a: 1, b: { c: 2 } })).toBeUndefined();
    expect(changeBetween({ a: 1, b: 2 }, { a: 3, c: 4 })).toEqual({ set: { a: 3, c: 4 }, removed: ['b'] });
  });

  test('is applied from the input on, up to a gap or an omitted value', () => {
    const steps = [step(1, { change: { set: { a: 1 } } }), step(2), step(5), step(6, { base: { a: 7 } }), step(7)];
    expect(entriesOf(steps, { x: 0 })).toEqual([{ x: 0 }, { x: 0, a: 1 }, undefined, { a: 7 }, { a: 7 }]);
    const omitted = [step(1, { change: { omitted: 9 } }), step(2)];
    expect(entriesOf(omitted, {})).toEqual([{}, undefined]);
  });
});
