import { defineConfig } from 'vitest/config';
import { noteUncaught } from './test/runner.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // A limit for what hangs: a busy machine may take ten times as long as a quiet one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // One more than the two processors that CI has: tests of containers and of deadlines mostly wait.
    maxWorkers: 3,
    // CDK's check of templates costs seconds in each file; `bundles.test.ts` synthesizes the app with it.
    env: { CDK_VALIDATION: 'false' },
    onUnhandledError: noteUncaught,
  },
});
