import { defineConfig } from 'vitest/config';
import { noteUncaught } from './test/runner.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    onUnhandledError: noteUncaught,
  },
});
