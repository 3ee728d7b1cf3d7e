import { defineConfig } from 'vitest/config';
import { DEPLOYMENTS } from './test/deployed/deployed-tests.ts';
import { noteUncaught } from './test/runner.ts';
import { findChromium } from './test/web/browser/chromium.ts';

/** The journeys through the console, where there is a browser. */
const journeys = findChromium() === undefined ? [] : ['test/web/{journeys,outside}.web.ts'];

/** The tests that run against a deployed service: those that talk to it over HTTP alone. */
export default defineConfig({
  test: {
    include: [
      'test/service/events/{broadcast-config,cron,events,filters,starts,waits}.test.ts',
      'test/service/input/{bad-input,jq,odd-input,random-requests}.test.ts',
      'test/service/logs/{logs,long,pages}.test.ts',
      'test/service/namespaces/{keys,namespaces,secrets,tenant-sweep,variables}.test.ts',
      'test/service/recorded/{conformance,exchanges,runs}.test.ts',
      'test/service/runs/{examples,execution,idempotency,instances}.test.ts',
      'test/service/system/{console,handbook,metrics,system}.test.ts',
      'test/service/tree/{revisions,tree}.test.ts',
      'test/deployed/*.test.ts',
      ...journeys,
    ],
    testTimeout: 60_000,
    hookTimeout: 180_000,
    // As many as there are deployments: each file finds one empty.
    maxWorkers: DEPLOYMENTS,
    onUnhandledError: noteUncaught,
  },
});
