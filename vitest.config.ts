import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { DEPLOYMENTS } from './test/deployed/deployed-tests.ts';
import { noteUncaught } from './test/runner.ts';
import { SlowFirst } from './test/slow-first.ts';
import { findChromium } from './test/web/browser/chromium.ts';

type Tests = NonNullable<ViteUserConfig['test']>;

/** The journeys through the console, where there is a browser. */
const journeys = findChromium() === undefined ? [] : ['test/web/{journeys,outside}.web.ts'];

/** The kinds of tests; `npm run test:web` and `npm run test:deployed` choose by WEFT_TEST_KIND. */
const KINDS: Readonly<Record<'usual' | 'web' | 'deployed', Tests>> = {
  usual: {
    include: ['test/**/*.test.ts'],
    // A limit for what hangs: a busy machine may take ten times as long as a quiet one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 30_000 } },
    // More than the two processors that CI has: half of the time of the tests is waiting for processes and deadlines.
    maxWorkers: 5,
    // CDK's check of templates costs seconds in each file; `bundles.test.ts` synthesizes the app with it.
    env: { CDK_VALIDATION: 'false' },
  },
  /** The console in a real browser, against a running service. */
  web: {
    include: ['test/web/**/*.web.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A page shows what has happened after a moment, on a busy machine after some seconds.
    expect: { poll: { timeout: 10_000 } },
    maxWorkers: 2,
  },
  /** Those that talk to a service over HTTP alone, against a deployed one. */
  deployed: {
    include: [
      'test/service/events/{broadcast-config,cron,events,filters,starts,waits}.test.ts',
      'test/service/input/{bad-input,jq}.test.ts',
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
    // A page without a stream asks every 3 s, and an emulated Lambda takes its time on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    // As many as there are deployments: each file finds one empty.
    maxWorkers: DEPLOYMENTS,
  },
};

const isKind = (name: string): name is keyof typeof KINDS => Object.hasOwn(KINDS, name);

const kind = process.env['WEFT_TEST_KIND'] ?? 'usual';
if (!isKind(kind)) throw new Error(`WEFT_TEST_KIND is '${kind}'; choose ${Object.keys(KINDS).join(', ')}`);

export default defineConfig({
  test: { ...KINDS[kind], sequence: { sequencer: SlowFirst }, onUnhandledError: noteUncaught },
});
