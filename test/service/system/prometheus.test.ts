import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_WORKFLOWS, PrometheusMeter } from '../../../lib/adapters/local/prometheus.ts';
import { type Client, openOwnClient } from '../access/client.ts';

let client: Client;

beforeAll(async () => {
  client = await openOwnClient();
  await client.call('PUT', '/api/namespaces/counted');
  const put = (name: string, body: string) =>
    client.call('PUT', `/api/namespaces/counted/tree/${name}?op=create-workflow`, { body });
  await put('fine', 'states: [{id: a, type: noop}]');
  await put('bad', 'states: [{id: a, type: error, error: it.broke, message: gone}]');
  for (const name of ['fine', 'fine', 'bad']) await client.call('GET', `/api/namespaces/counted/tree/${name}?op=wait`);
});

afterAll(() => client.close());

const { PROMTOOL_FOLDER, XDG_CACHE_HOME = join(homedir(), '.cache'), PATH = '' } = process.env;
/** Where bin/ci-prometheus.sh puts it, or one that is installed. */
const PROMTOOL = [PROMTOOL_FOLDER ?? join(XDG_CACHE_HOME, 'weft/promtool'), ...PATH.split(delimiter)]
  .map((folder) => join(folder, 'promtool'))
  .find((file) => existsSync(file));

/** The output and the exit code of promtool. */
function promtool(args: readonly string[], input = ''): { readonly code: number | null; readonly out: string } {
  const { status, stdout, stderr, error } = spawnSync(PROMTOOL ?? '', [...args], { input, encoding: 'utf8' });
  if (error !== undefined) throw error;
  return { code: status, out: stdout + stderr };
}

/** The samples of a text by their names with labels. */
const samplesIn = (text: string): Map<string, number> =>
  new Map(
    [...text.matchAll(/^([^#\s]\S*(?: *\{.*\})?) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)]),
  );

describe('GET /metrics', () => {
  test('has the runs by workflow and status, the requests, the store and the event loop', async () => {
    const { status, headers, text } = await client.call('GET', '/metrics');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const samples = samplesIn(text);
    expect(Object.fromEntries(samples)).toMatchObject({
      'weft_runs_started_total{namespace="counted",workflow="fine"}': 2,
      'weft_runs_ended_total{namespace="counted",workflow="fine",status="complete"}': 2,
      'weft_runs_ended_total{namespace="counted",workflow="bad",status="failed"}': 1,
      'weft_run_duration_seconds_count{status="complete"}': 2,
      weft_dead_letters_total: 0,
      weft_events_delivered_total: 0,
      weft_store_writable: 1,
      weft_store_size_bytes: 0,
    });
    expect(samples.get('weft_requests_total{family="tree"}')).toBe(2);
    expect(samples.has('nodejs_eventloop_lag_p99_seconds')).toBe(true);
  });

  test('passes promtool check metrics', async ({ skip }) => {
    skip(PROMTOOL === undefined, 'promtool is not here; bin/ci-prometheus.sh gets it');
    const { text } = await client.call('GET', '/metrics');
    expect(promtool(['check', 'metrics'], text)).toEqual({ code: 0, out: '' });
    // The same check finds a mistake: a counter without _total.
    expect(promtool(['check', 'metrics'], text.replaceAll('weft_faults_total', 'weft_faults')).code).toBe(3);
  });

  test('names each metric as promtool check metrics expects', async () => {
    const { text } = await client.call('GET', '/metrics');
    const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]));
    const helped = [...text.matchAll(/^# HELP (\S+) \S/gm)].map(([, name]) => name);
    expect(helped.toSorted()).toEqual([...types.keys()].toSorted());
    const odd = [...types].filter(([name, type]) => (type === 'counter') !== name.endsWith('_total'));
    expect(odd).toEqual([]);
  });

  test('needs a key with the permission admin', async () => {
    expect((await client.call('GET', '/metrics', { key: null })).status).toBe(401);
    const made = await client.call('POST', '/api/keys', { json: { name: 'writer', permission: 'write' } });
    expect((await client.call('GET', '/metrics', { key: String(made.json()['secret']) })).status).toBe(403);
    const bearer = { Authorization: `Bearer ${client.key}` };
    expect((await client.call('GET', '/metrics', { key: null, headers: bearer })).status).toBe(200);
    expect((await client.call('POST', '/metrics', { json: {} })).status).toBe(405);
  });
});

describe('the meter of a process', () => {
  const readings = { work: () => 3, bytes: () => 70, isWritable: () => false };

  test('counts the runs of more workflows than it has room for as those of other', async () => {
    const meter = new PrometheusMeter();
    for (let n = 0; n < MAX_WORKFLOWS + 5; n += 1)
      meter.note({ RunsStarted: 1 }, undefined, { namespace: 'n', path: `w${n}` });
    meter.note({ RunsStarted: 1 }, undefined, { namespace: 'n', path: 'w0' });
    const samples = samplesIn((await meter.text(readings)).body);
    const started = [...samples].filter(([name]) => name.startsWith('weft_runs_started_total'));
    expect(started).toHaveLength(MAX_WORKFLOWS + 1);
    expect(samples.get('weft_runs_started_total{namespace="other",workflow="other"}')).toBe(5);
    expect(samples.get('weft_runs_started_total{namespace="n",workflow="w0"}')).toBe(2);
    expect(samples.get('weft_work_in_progress')).toBe(3);
    expect(samples.get('weft_store_writable')).toBe(0);
  });

  test('the alert rules pass promtool check rules', ({ skip }) => {
    skip(PROMTOOL === undefined, 'promtool is not here; bin/ci-prometheus.sh gets it');
    const { code, out } = promtool(['check', 'rules', 'deploy/prometheus-rules.yaml']);
    expect(code, out).toBe(0);
    const count = readFileSync('deploy/prometheus-rules.yaml', 'utf8').match(/- alert: /g)?.length;
    expect(out).toContain(`SUCCESS: ${count} rules found`);
  });

  test.each(['deploy/grafana-dashboard.json', 'deploy/prometheus-rules.yaml'])(
    'has each metric that %s uses',
    async (file) => {
      const { body } = await new PrometheusMeter().text(readings);
      const names = new Set(
        [...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
          type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
        ),
      );
      const used = readFileSync(file, 'utf8').match(/\b(weft|nodejs|process)_[a-z0-9_]+/g) ?? [];
      expect(used.length).toBeGreaterThan(5);
      expect(used.filter((name) => !names.has(name))).toEqual([]);
    },
  );
});
