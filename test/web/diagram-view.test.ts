import { expect, test } from 'vitest';
import { fit, roomWithTools } from '../../web/parts/diagram/view.ts';

const HIGH = { width: 320, height: 378 };
const LAST = { x: 260, y: 240 };

test('a high drawing that stands beside the buttons is in sight as a whole', () => {
  const { scale, y } = fit(HIGH, roomWithTools(HIGH, { width: 578, height: 286 }), LAST);
  expect(HIGH.height * scale).toBeLessThanOrEqual(286);
  expect(y).toBe(0);
});

test('a drawing that would reach the buttons ends above them', () => {
  const frame = { width: 374, height: 320 };
  expect(roomWithTools(HIGH, frame)).toEqual({ width: 374, height: 272 });
});
