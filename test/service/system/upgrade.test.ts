import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService } from '../../../bin/server/service.ts';
import { openDataFolder } from '../../../lib/adapters/local/database/data-folder.ts';
import { LocalDatabase } from '../../../lib/adapters/local/database/database.ts';
import { databaseTable } from '../../../lib/adapters/local/table/table.ts';
import { systemClock } from '../../../lib/adapters/portable/clock.ts';
import { packageVersion } from '../../../lib/adapters/portable/package.ts';
import { LAST_VERSION } from '../../../lib/domain/migrations/index.ts';
import { initialize } from '../../../lib/domain/migrations/upgrade.ts';
import { unpack } from '../../upgrade/archive.ts';
import { BEGINNINGS, BEGUN, CASES, CONFIG, EVENTS, LONG } from '../../upgrade/workflows.ts';
import { type CallOptions, type Client, clientOf, type Json, rowsOf } from '../access/client.ts';

const FOLDER = fileURLToPath(new URL('../../upgrade/', import.meta.url));
const ARCHIVES = readdirSync(FOLDER).filter((name) => name.endsWith('.tar.br'));
const STRUCTURED = { 'Content-Type': 'application/cloudevents+json' };
const MAX_MS = 60_000;

/** The file that record.ts wrote. */
interface Recorded {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly runs: Readonly<Record<string, string>>;
  /** The list of instances, the newest first. */
  readonly listed: readonly { readonly id: string; readonly status: string }[];
}

const settingsOf = (data: string) => {
  const settings = { port: 0, host: '127.0.0.1', data, apiKey: undefined, brand: 'service' };
  return { ...settings, databaseEndpoint: undefined, version: packageVersion() };
};

const schemaOf = (archive: string): number => Number(/schema-(\d+)/.exec(archive)?.[1]);
const EARLIER = ARCHIVES.filter((archive) => schemaOf(archive) < LAST_VERSION);

test('data of every schema version exist as archives', () => {
  const all = Array.from({ length: LAST_VERSION }, (_, index) => index + 1);
  expect([...new Set(ARCHIVES.map(schemaOf))].sort((a, b) => a - b)).toEqual(all);
});

/**
 * A service on the data of an archive, whose clock continues from the time of the archive: lists look back for weeks,
 * archives are years old.
 */
class Space {
  readonly data = mkdtempSync(join(tmpdir(), 'weft-upgrade-'));
  readonly recorded: Recorded;
  #client: Client | undefined;

  constructor(archive: string) {
    unpack(join(FOLDER, archive), this.data);
    this.recorded = JSON.parse(readFileSync(join(this.data, 'recorded.json'), 'utf8')) as Recorded;
  }

  async open(): Promise<void> {
    const clock = systemClock();
    const away = clock.now() - this.recorded.at;
    const service = await startService(
      settingsOf(this.data),
      {},
      { clock: { ...clock, now: () => clock.now() - away } },
    );
    this.#client = clientOf(service.url, service.key, () => service.close());
  }

  call(method: string, path: string, options: CallOptions = {}) {
    if (this.#client === undefined) throw new Error('not open');
    return this.#client.call(method, `/api/namespaces/upgrade/${path}`, options);
  }

  async send(events: readonly object[]): Promise<void> {
    for (const event of events) {
      const answer = await this.call('POST', 'broadcast', { json: event, headers: STRUCTURED });
      expect(answer.status, answer.text).toBe(200);
    }
  }

  async instances(filter = ''): Promise<readonly Json[]> {
    return rowsOf((await this.call('GET', `instances?${filter}`)).json()['instances']?.['results']);
  }

  runsOf(path: string): Promise<readonly Json[]> {
    return this.instances(`filter.field=AS&filter.type=WORKFLOW&filter.val=${path}`);
  }

  async outputOf(id: unknown): Promise<unknown> {
    const answer = await this.call('GET', `instances/${id}/output`);
    return JSON.parse(Buffer.from(String(answer.json()['data']), 'base64').toString());
  }

  async ended(id: unknown): Promise<Json | undefined> {
    return this.until(async () => (await this.call('GET', `instances/${id}`)).json()['instance']);
  }

  async until(read: () => Promise<Json | undefined>): Promise<Json | undefined> {
    const end = performance.now() + MAX_MS;
    let run = await read();
    while ((run === undefined || String(run['status']) === 'pending') && performance.now() < end) {
      await sleep(100);
      run = await read();
    }
    return run;
  }

  async expectEnd(path: string): Promise<void> {
    const run = await this.ended(this.recorded.runs[path]);
    expect([run?.['status'], run?.['errorMessage']]).toEqual(['complete', '']);
    expect(await this.outputOf(run?.['id'])).toEqual(CASES[path]?.output);
  }

  async stop(): Promise<void> {
    await this.#client?.close();
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.data, { recursive: true });
  }
}

describe.each(EARLIER)('the runs of %s, which are not migrated yet, as it is on AWS for some time', (archive) => {
  let space: Space;

  beforeAll(async () => {
    space = new Space(archive);
    const { file, release } = openDataFolder(space.data);
    const database = new LocalDatabase({ file });
    await initialize(databaseTable(database));
    await database.close();
    release();
    await space.open();
    await space.send(EVENTS);
  });
  afterAll(() => space.remove());

  test.each(Object.keys(CASES))('continue to their end: %s', (path) => space.expectEnd(path));

  test('are in the lists again after they have continued', async () => {
    const listed = new Set((await space.instances()).map(({ id }) => String(id)));
    expect(Object.values(space.recorded.runs).filter((id) => !listed.has(id))).toEqual([]);
  });
});

describe.each(ARCHIVES)('the data of %s, with waiting runs', (archive) => {
  let space: Space;
  let before: readonly Json[];

  beforeAll(async () => {
    space = new Space(archive);
    await space.open();
    // The runs from the beginning of the archive, without those that start during this test.
    before = await space.instances('order.field=CREATED&order.direction=ASC');
    await space.send([...EVENTS, ...BEGINNINGS]);
  });
  afterAll(() => space.remove());

  test('list their instances at once, in the order of time', () => {
    const { listed } = space.recorded;
    const old = before.slice(0, listed.length);
    expect(old.map(({ id }) => String(id)).sort()).toEqual(listed.map(({ id }) => id).sort());
    const times = old.map(({ createdAt }) => Date.parse(String(createdAt)));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  test.each(Object.keys(CASES))('continue the run of %s to its end', (path) => space.expectEnd(path));

  test.each(Object.keys(BEGUN))('start the workflow %s by events, one of which was collected before', async (path) => {
    const run = await space.until(async () => (await space.runsOf(path))[0]);
    expect(await space.outputOf(run?.['id'])).toEqual(BEGUN[path]);
    expect(await space.runsOf(path)).toHaveLength(1);
  });

  test('keep their schedules', async () => {
    const run = await space.until(async () => (await space.runsOf('ticking'))[0]);
    expect([run?.['status'], run?.['invoker']]).toEqual(['complete', 'cron']);
  });

  test('start their workflows again, by tags and by routers', async () => {
    const said = async (path: string) => (await space.call('POST', `tree/${path}`, { json: { n: 2 } })).json();
    expect(await said('delay?op=wait&ref=v1')).toEqual({ n: 2, late: true });
    expect(await said('routed?op=wait')).toEqual({ said: 'one' });
    expect(await said('routed?op=wait&ref=v2')).toEqual({ said: 'two' });
  });

  test('keep their variables and settings', async () => {
    expect((await space.call('GET', `vars/greeting`)).text).toBe('hello');
    expect((await space.call('GET', `vars/long`)).text).toBe(LONG);
    expect((await space.call('GET', `tree/counted?op=var&var=count`)).text).toBe('7');
    expect((await space.call('GET', `config`)).json()).toMatchObject(CONFIG);
  });

  test('count earlier and later runs together', async () => {
    const valuesOf = async (metric: string): Promise<Record<string, string>> => {
      const { results } = (await space.call('GET', `metrics/${metric}`)).json();
      return Object.fromEntries(
        rowsOf(results).map((row) => [String(row['metric']?.['service_workflow']), String(rowsOf(row['value'])[1])]),
      );
    };
    // One by a request, one as a subflow, and two retries of that.
    expect(await valuesOf('invoked')).toMatchObject({ '/fails': '4', '/child': '6', '/event': '1', '/later': '1' });
    expect(await valuesOf('successful')).toMatchObject({ '/child': '6', '/event': '1', '/later': '1' });
    expect(await valuesOf('failed')).toEqual({ '/fails': '4' });
    const few = (await space.instances()).length;
    const { pageInfo } = (await space.call('GET', 'instances?limit=1')).json()['instances'] ?? {};
    const many = (await space.instances()).length;
    // Its schedule may start one at any moment.
    expect(few).toBeLessThanOrEqual(Number(pageInfo?.['total']));
    expect(many).toBeGreaterThanOrEqual(Number(pageInfo?.['total']));
  });

  test('keep their logs and lists', async () => {
    const begun = `instances/${space.recorded.runs['delay']}/logs`;
    for (const path of ['logs', 'events', 'event-listeners', 'vars', begun]) {
      const answer = await space.call('GET', `${path}`);
      expect(answer.status, `${path} ${answer.text}`).toBe(200);
    }
    const listeners = (await space.call('GET', `event-listeners`)).json();
    expect(
      rowsOf(listeners['results'])
        .map(({ workflow }) => workflow)
        .sort(),
    ).toEqual(['/begun', '/pair']);
  });

  test('are migrated to the current schema version once, and not if they have it', async () => {
    await space.stop();
    const again = await startService(settingsOf(space.data));
    await again.idle();
    await again.close();
    const copies = readdirSync(space.data).filter((name) => name.includes('schema'));
    expect(copies).toEqual(EARLIER.includes(archive) ? [`weft.db.schema-${schemaOf(archive)}`] : []);
  });
});
