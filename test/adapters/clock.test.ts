import { afterEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../lib/adapters/portable/clock.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('the clock of the system', () => {
  test('returns UUIDs of version 7 that contain the time', () => {
    const clock = systemClock();
    const id = clock.uuid();
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const ms = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
    expect(Math.abs(ms - clock.now())).toBeLessThan(60_000);
  });

  test('returns UUIDs that sort in the order of their creation, all different', () => {
    const ids = Array.from({ length: 20_000 }, systemClock().uuid);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('returns UUIDs in order also when the time goes back', () => {
    const clock = systemClock();
    vi.useFakeTimers({ now: Date.now() + 1_000 });
    const later = clock.uuid();
    vi.setSystemTime(Date.now() - 500);
    expect(clock.uuid() > later).toBe(true);
  });

  test('returns secrets of 43 URL-safe characters, each different, which no command line reads as an option', () => {
    const clock = systemClock();
    const secrets = Array.from({ length: 2_000 }, clock.secret);
    for (const secret of secrets) expect(secret).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_-]{42}$/);
    expect(new Set(secrets).size).toBe(2_000);
  });
});
