import { expect, test } from 'vitest';
import { scaleOf, zoomed } from '../../web/parts/timeline/scale.ts';

const ALL = { from: 1_000_000, to: 1_010_000 };

test('a part of the time is half as long, around an instant, and does not leave the run', () => {
  expect(zoomed(ALL, ALL, 0.5, 1_004_000)).toEqual({ from: 1_001_500, to: 1_006_500 });
  expect(zoomed(ALL, ALL, 0.5, 1_000_100)).toEqual({ from: 1_000_000, to: 1_005_000 });
  expect(zoomed(ALL, ALL, 0.5, 1_009_999)).toEqual({ from: 1_005_000, to: 1_010_000 });
  expect(zoomed({ from: 1_002_000, to: 1_006_000 }, ALL, 2, 1_004_000)).toEqual({ from: 1_000_000, to: 1_008_000 });
  expect(zoomed({ from: 1_002_000, to: 1_008_000 }, ALL, 2, 1_004_000)).toBeUndefined();
});

test('the ticks of a part count from the start of the run', () => {
  const { ticks, place } = scaleOf({
    shown: { from: 1_004_500, to: 1_006_500 },
    origin: ALL.from,
    mostTicks: 4,
    instants: [],
  });
  expect(ticks.map(({ at, text }) => [Math.round(at), text])).toEqual([
    [0, '4.5 s'],
    [25, '5 s'],
    [50, '5.5 s'],
    [75, '6 s'],
  ]);
  expect(place(1_005_000, 1_005_500)).toEqual({ left: '25.000%', width: '25.000%' });
  expect(place(1_000_000, 1_001_000)).toMatchObject({ visibility: 'hidden' });
});

const WAIT = { from: 1_000_010, to: 1_005_010 };

test('a wait that dwarfs the steps is shown shorter, and names its length', () => {
  const shown = { from: 1_000_000, to: 1_005_030 };
  const { breaks, ticks, place } = scaleOf({ shown, origin: shown.from, mostTicks: 4, instants: [WAIT.from, WAIT.to] });
  expect(breaks).toEqual([{ ...WAIT, place: { left: '27.333%', width: '18.000%' }, text: '5 s' }]);
  expect(ticks).toEqual([]);
  expect(place(WAIT.to, shown.to)).toEqual({ left: '45.333%', width: '54.667%' });
});

test('steps of comparable lengths, and a run of one step, keep their scale', () => {
  const shown = { from: 1_000_000, to: 1_005_000 };
  for (const instants of [[], [1_001_500, 1_003_000]]) {
    expect(scaleOf({ shown, origin: shown.from, mostTicks: 4, instants }).breaks).toEqual([]);
  }
});

test('a wait with which a run begins is not shown shorter in favour of a part of a millisecond', () => {
  const shown = { from: 1_000_000, to: 1_025_000 };
  const { breaks, place } = scaleOf({ shown, origin: shown.from, mostTicks: 4, instants: [1_000_000.25] });
  expect(breaks).toEqual([]);
  expect(place(shown.from, shown.to)).toEqual({ left: '0.000%', width: '100.000%' });
});
