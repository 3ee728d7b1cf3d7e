import { defineConfig } from 'vitest/config';
import { noteUncaught } from './test/runner.ts';

/** The console in a real browser, against a running service. */
export default defineConfig({
  test: {
    include: ['test/web/**/*.web.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A page shows what has happened after a moment, on a busy machine after some seconds.
    expect: { poll: { timeout: 10_000 } },
    maxWorkers: 2,
    onUnhandledError: noteUncaught,
  },
});
