import { describe, expect, test } from 'vitest';
import { replyDeadline, streamDeadline } from '../../lib/api/deadlines.ts';

const NOW = 1_000_000;
const left = (seconds: number) => ({ getRemainingTimeInMillis: () => seconds * 1000 });

describe('the deadlines of a request', () => {
  test('on Lambda are those of API Gateway: a reply before 5 minutes of silence, a stream after 60 to 120 seconds', () => {
    const reply = replyDeadline(left(900), NOW) - NOW;
    expect(reply).toBeGreaterThan(240_000);
    expect(reply).toBeLessThan(300_000);
    const stream = streamDeadline(left(900), NOW) - NOW;
    expect(stream).toBeGreaterThanOrEqual(60_000);
    expect(stream).toBeLessThanOrEqual(120_000);
  });

  test('are before the end of a Lambda that has less time', () => {
    expect(replyDeadline(left(29), NOW)).toBe(NOW + 27_000);
    expect(streamDeadline(left(29), NOW)).toBe(NOW + 19_000);
  });

  test('do not exist in the local service', () => {
    expect([replyDeadline({}, NOW), streamDeadline({}, NOW)]).toEqual([
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
    ]);
  });
});
