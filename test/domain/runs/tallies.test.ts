import { describe, expect, test } from 'vitest';
import { fromText, type StateTally, Tally, toText } from '../../../lib/domain/runs/tallies.ts';
import fc from '../../fast-check.ts';

const state = fc.constantFrom('a', 'b', 'c', 'd', '__proto__', 'ä "quoted"');

describe('the tally of a run', () => {
  test('is equal after it was stored', () => {
    const move = fc.record({ at: state, ms: fc.nat(3), retries: fc.nat(1), to: fc.option(state, { nil: undefined }) });
    fc.assert(
      fc.property(fc.array(move), (moves) => {
        const tally = new Tally([]);
        for (const { at, ms, retries, to } of moves) {
          tally.add(at, ms, retries);
          if (to !== undefined) tally.addTransition(at, to);
        }
        const { stored } = tally;
        expect(fromText(toText(stored ?? []))).toEqual(stored);
        expect(new Tally(stored).stored).toEqual(stored);
      }),
    );
  });

  test('of a chain of states is stored as little more than their names', () => {
    const chain: StateTally[] = [
      ['a', 0, 0, [['b', 1]]],
      ['b', 3, 0, [['c', 1]]],
      ['c', 0, 0, []],
    ];
    expect(toText(chain)).toBe('["a",["b",3],"c"]');
  });

  test('that becomes too long is dropped for good', () => {
    const tally = new Tally([]);
    for (let n = 0; tally.stored !== undefined; n += 1) tally.add(`state-${n}`, 1);
    tally.add('more', 1);
    tally.addTransition('more', 'yet more');
    expect(tally.stored).toBeUndefined();
    const later = new Tally(tally.stored);
    later.add('a', 1);
    expect(later.stored).toBeUndefined();
  });

  test('has at most some KiB', () => {
    const tally = new Tally([]);
    let longest = 0;
    for (let n = 0; tally.stored !== undefined; n += 1) {
      longest = Buffer.byteLength(toText(tally.stored));
      tally.add(`ein-längerer-name-${n}`, 123_456, 3);
      tally.addTransition(`ein-längerer-name-${n}`, 'a');
      tally.addTransition(`ein-längerer-name-${n}`, 'b');
    }
    expect(longest).toBeLessThan(9 * 1024);
  });
});
