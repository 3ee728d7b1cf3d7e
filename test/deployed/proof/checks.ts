import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { runTests } from '../../runner.ts';
import { type Client, clientOf } from '../../service/access/client.ts';
import type { AwsAccess } from '../deployment.ts';
import type { Installation } from '../installation.ts';
import { Load } from '../load.ts';
import { differencesOf, prepareLoad } from '../load-outcome.ts';
import { tally } from '../tally.ts';
import { TARGETS, type Target } from '../target.ts';
import { type Units, usageOf } from './usage.ts';

/** What the checks work with. */
export interface Subject {
  readonly access: AwsAccess;
  readonly name: string;
  readonly installation: Installation;
  readonly target: Target;
  /** An assembly with the same stacks and other functions. */
  readonly changed: string;
  /** Words in the paths of the tests that run; empty: all. */
  readonly words: readonly string[];
}

/** The result of a check. */
export interface Finding {
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly text: string;
}

/** A check of an installation. Throws where it cannot end. */
export type Check = (subject: Subject) => Promise<Finding>;

const MAX_MS = 600_000;
const LOAD_MS = 10_000;

const judged = (isRight: boolean, text: string): Finding => ({ outcome: isRight ? 'passed' : 'failed', text });

const connect = ({ url, key }: Target): Client => clientOf(url, key, async () => {});

async function request(client: Client, method: string, path: string, body?: string): Promise<string> {
  const answer = await client.call(method, path, body === undefined ? {} : { body });
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.text;
}

/** The black-box tests, one file after the other: each finds the installation empty. */
const suite: Check = async ({ target, words, access }) => {
  const environment = { [TARGETS]: JSON.stringify([target]), SERVICE_URL: target.url, WEFT_TEST_KIND: 'deployed' };
  const report = await runTests(words, ['--maxWorkers=1'], environment);
  const { passed, failed } = tally(report, access.endpoint === undefined ? 'elsewhere' : 'part');
  return judged(failed === 0 && passed > 0, `${passed} tests passed, ${failed} failed`);
};

/** The operations whose units are compared with the counted ones, and their workflows. */
const METERED = {
  'wait on 1 noop': { op: 'wait', source: 'states: [{id: a, type: noop}]\n' },
  'execute a delay of 1 s': { op: 'execute', source: 'states: [{id: a, type: delay, duration: PT1S}]\n' },
} as const;
const METERED_RUNS = 200;
/** CloudWatch has whole minutes, some minutes late. */
const MINUTE_MS = 60_000;
const METRICS_LATE_MS = 5 * MINUTE_MS;
/** What the service does by itself meanwhile: the reconciler, the schedule of upkeep, the reading of results. */
const MAX_RATIO = 1.25;

async function meter(
  subject: Subject,
  client: Client,
  name: keyof typeof METERED,
): Promise<Partial<Units> | undefined> {
  const { op, source } = METERED[name];
  await request(client, 'PUT', '/api/namespaces/metered/tree/one?op=create-workflow', source);
  const isReal = subject.access.endpoint === undefined;
  if (isReal) await sleep(MINUTE_MS - (Date.now() % MINUTE_MS));
  const from = Date.now();
  for (let n = 0; n < METERED_RUNS; n += 1) await request(client, 'POST', `/api/namespaces/metered/tree/one?op=${op}`);
  const to = from + MINUTE_MS * (Math.floor((Date.now() - from) / MINUTE_MS) + 1);
  if (isReal) await sleep(to - Date.now() + METRICS_LATE_MS);
  await request(client, 'DELETE', '/api/namespaces/metered/tree/one?op=delete-node');
  return usageOf(subject.access, subject.name, { from, to });
}

/** What CloudWatch metered for runs, beside the units that the benchmark counts. */
const units: Check = async (subject) => {
  const counted = JSON.parse(await readFile(new URL('../../../bench/calls.json', import.meta.url), 'utf8')) as Record<
    string,
    Units
  >;
  const client = connect(subject.target);
  await request(client, 'PUT', '/api/namespaces/metered');
  const lines: string[] = [];
  let isRight = true;
  for (const name of Object.keys(METERED) as (keyof typeof METERED)[]) {
    const used = await meter(subject, client, name);
    if (used === undefined) return { outcome: 'skipped', text: 'CloudWatch has no metrics of this installation' };
    for (const [unit, sum] of Object.entries(used) as [keyof Units, number][]) {
      const expected = (counted[name]?.[unit] ?? 0) * METERED_RUNS;
      isRight &&= sum <= expected * MAX_RATIO + METERED_RUNS * (MAX_RATIO - 1);
      lines.push(`${name}: ${unit} ${sum} of ${expected}`);
    }
  }
  return judged(isRight, lines.join('; '));
};

/** An update of all functions while clients work: nothing is lost or doubled. */
const update: Check = async ({ installation, target, changed }) => {
  const client = connect(target);
  await prepareLoad(client, 'load');
  const load = new Load(client, 'load');
  load.start();
  await sleep(LOAD_MS);
  const before = await installation.functionRevisions();
  await installation.deployAgain(changed);
  const after = await installation.functionRevisions();
  await sleep(LOAD_MS);
  const report = await load.stop();
  const poll = () => installation.reportDeployment();
  const differences = await differencesOf(client, 'load', load, { report, ms: MAX_MS, poll });
  const updated = Object.keys(after).filter((name) => after[name] !== before[name]).length;
  const text = `${updated} functions updated under ${report.requests} requests; at the first attempt failed: ${JSON.stringify([...report.failedFirst])}`;
  return judged(differences.length === 0 && updated > 0, [text, ...differences].join('; '));
};

const WAITING = 'states: [{id: a, type: consumeEvent, timeout: PT1H, event: {type: go}, transform: {n: 1}}]\n';
const EVENT = JSON.stringify({ specversion: '1.0', id: 'go-1', source: 'proof', type: 'go' });

/** The service is destroyed, its tables are replaced by their backups, and it is deployed again: a wait goes on. */
const restore: Check = async ({ installation, target }) => {
  const client = connect(target);
  await request(client, 'PUT', '/api/namespaces/drill');
  await request(client, 'PUT', '/api/namespaces/drill/vars/kept', 'a value');
  await request(client, 'PUT', '/api/namespaces/drill/tree/waiting?op=create-workflow', WAITING);
  const started = await request(client, 'POST', '/api/namespaces/drill/tree/waiting?op=execute');
  const id = (JSON.parse(started) as { instance: string }).instance;
  await installation.backUp();
  await installation.destroyService();
  await installation.restore();
  const again = connect(await installation.deployAgain());
  const headers = { 'Content-Type': 'application/cloudevents+json' };
  const sent = await again.call('POST', '/api/namespaces/drill/broadcast', { body: EVENT, headers });
  const value = await request(again, 'GET', '/api/namespaces/drill/vars/kept');
  let status = 'pending';
  for (const end = Date.now() + MAX_MS; status === 'pending' && Date.now() < end; await sleep(2000)) {
    await installation.reportDeployment();
    const read = JSON.parse(await request(again, 'GET', `/api/namespaces/drill/instances/${id}`)) as {
      instance: { status: string };
    };
    status = read.instance.status;
  }
  const isRight = sent.status === 200 && value === 'a value' && status === 'complete';
  return judged(isRight, `the variable is '${value}', the run that waited is ${status}`);
};

/** The checks by their names, in their order, and what each shows. */
export const CHECKS = {
  tests: { about: 'the black-box tests', check: suite },
  units: { about: 'metered units beside the counted ones', check: units },
  update: { about: 'an update of all functions under load', check: update },
  restore: { about: 'a restore from backups', check: restore },
} as const satisfies Readonly<Record<string, { readonly about: string; readonly check: Check }>>;

/** The name of a check. */
export type CheckName = keyof typeof CHECKS;

/** Returns the checks with these names, all where there are none. Throws for another name. */
export function checksOf(names: readonly string[]): readonly (typeof CHECKS)[CheckName][] {
  const wrong = names.find((name) => !Object.hasOwn(CHECKS, name));
  if (wrong !== undefined)
    throw new Error(`there is no check '${wrong}'; choose from ${Object.keys(CHECKS).join(', ')}`);
  const isChosen = (name: string): boolean => names.length === 0 || names.includes(name);
  return Object.entries(CHECKS).flatMap(([name, row]) => (isChosen(name) ? [row] : []));
}
