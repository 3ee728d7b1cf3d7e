import { defineConfig } from 'vitest/config';
import { DEPLOYMENTS } from './test/deployed/trial.ts';
import { noteUncaught } from './test/runner.ts';

/** The tests that run against a deployed service: those that talk to it over HTTP alone. */
export default defineConfig({
  test: {
    include: [
      'test/service/{bad-input,broadcast-config,conformance,cron,event-filters,event-starts,event-waits,events,examples,execution}.test.ts',
      'test/service/{handbook,idempotency,instances,jq,keys,log-pages,logs,long-logs,metrics,namespaces,odd-input,random-requests}.test.ts',
      'test/service/{recorded-exchanges,recorded-runs,revisions,secrets,system,tenant-sweep,tree,variables}.test.ts',
      'test/deployed/*.test.ts',
    ],
    testTimeout: 60_000,
    hookTimeout: 180_000,
    // As many as there are deployments: each file finds one empty.
    maxWorkers: DEPLOYMENTS,
    onUnhandledError: noteUncaught,
  },
});
