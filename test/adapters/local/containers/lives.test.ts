import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { installationOf, type LocalContainersOptions } from '../../../../lib/adapters/local/containers/containers.ts';
import type { Engine } from '../../../../lib/adapters/local/containers/engine/engine.ts';
import { labels } from '../../../../lib/adapters/local/containers/engine/reaper.ts';
import { openContainers, revisionOf, until } from './fixtures/caller.ts';
import { engineForTests, makeTestImage } from './fixtures/image.ts';

const found = await engineForTests();
const missing = typeof found === 'string' ? found : undefined;
const PROCESS = fileURLToPath(new URL('./fixtures/process.ts', import.meta.url));

/** The names of the containers in the engine that belong to a data folder. */
async function namesIn(engine: Engine, folder: string): Promise<string[]> {
  const filter = ['--filter', `label=weft.installation=${installationOf(folder)}`];
  const { stdout } = await engine.run(['ps', '-a', '--format', '{{.Names}}', ...filter]);
  return stdout.split('\n').filter((name) => name !== '');
}

describe('the containers of a revision', () => {
  const engine = found as Engine;
  const folders: string[] = [];
  const open: { close(): Promise<void> }[] = [];
  // Most tests share one service.
  const shared = openContainers({ folder: undefined, timeouts: { listenMs: 5_000 } });
  let image = '';

  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  beforeAll(async () => {
    if (missing === undefined) image = await makeTestImage(engine);
  });

  afterEach(async () => {
    for (const containers of open.splice(0)) await containers.close();
  });

  afterAll(async () => {
    await shared.containers.close();
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  const newFolder = () => {
    const folder = mkdtempSync(join(tmpdir(), 'weft-containers-'));
    folders.push(folder);
    return folder;
  };

  const opened = (options: LocalContainersOptions) => {
    const calling = openContainers(options);
    open.push(calling.containers);
    return calling;
  };

  test('start with the first call, end after an idle time, and start again', async () => {
    const folder = newFolder();
    const { call, statusOf, prepared } = opened({ folder, timeouts: { idleMs: 300 } });
    const revision = revisionOf(image);
    expect((await prepared(revision)).pods).toEqual([]);
    expect((await call(revision.id, { do: 'echo' })).failure).toBeUndefined();
    expect((await statusOf(revision.id)).pods).toMatchObject([{ status: 'Running' }]);
    await until(
      () => namesIn(engine, folder),
      (names) => names.length === 0,
    );
    expect((await statusOf(revision.id)).pods).toEqual([]);
    expect((await call(revision.id, { do: 'echo' })).failure).toBeUndefined();
  });

  test('are started up to the minimum scale before the first call', async () => {
    const { statusOf, prepared } = shared;
    const revision = revisionOf(image, { minScale: 2 });
    await prepared(revision);
    const isRunning = ({ status }: { status: string }) => status === 'Running';
    await until(
      () => statusOf(revision.id),
      ({ pods }) => pods.length === 2 && pods.every(isRunning),
    );
  });

  test('may listen late', async () => {
    const { call, prepared } = shared;
    const revision = revisionOf(image, { command: ['/node', '/function.mjs', 'serve', '1500'] });
    await prepared(revision);
    const { json, failure } = await call(revision.id, { do: 'echo' });
    expect(failure).toBeUndefined();
    expect(json().args).toEqual(['serve', '1500']);
  });

  test('fail the call when they never listen', async () => {
    const { call, statusOf, prepared } = shared;
    const revision = revisionOf(image, { command: ['/node', '/function.mjs', 'silent'] });
    await prepared(revision);
    const { failure } = await call(revision.id, { do: 'echo' });
    expect(failure).toEqual({ code: '', message: 'the container did not listen on port 8080 within 5 seconds' });
    expect((await statusOf(revision.id)).pods).toMatchObject([{ status: 'Failed' }]);
  });

  test('fail the call with their last output when they end before they listen', async () => {
    const { containers, call, statusOf, prepared } = shared;
    const revision = revisionOf(image, { command: ['/node', '/function.mjs', 'fail'] });
    await prepared(revision);
    const { failure } = await call(revision.id, { do: 'echo' });
    const message = 'the container ended with exit code 3 before it listened on port 8080: cannot go on';
    expect(failure).toEqual({ code: '', message });
    const { pods } = await statusOf(revision.id);
    expect(pods).toMatchObject([{ status: 'Failed' }]);
    expect((await containers.output(pods[0]?.name ?? '', 0))?.text).toBe('begun fail true\ncannot go on\n');
  });

  test('fail the call in which they crash, and serve the next', async () => {
    const { call, prepared } = shared;
    const revision = revisionOf(image);
    await prepared(revision);
    const { failure } = await call(revision.id, { do: 'exit', code: 7, words: 'oh no' });
    expect(failure).toEqual({ code: '', message: 'the container ended with exit code 7 before it answered: oh no' });
    expect((await call(revision.id, { do: 'echo' })).failure).toBeUndefined();
  });

  test.each(['one call', 'two calls at the same time'])(
    'serve %s also at the moment when they are killed',
    async (calls) => {
      const { call, statusOf, prepared } = shared;
      const revision = revisionOf(image);
      await prepared(revision);
      expect((await call(revision.id, { do: 'echo' })).failure).toBeUndefined();
      const [former] = (await statusOf(revision.id)).pods;
      const name = former?.name ?? '';
      const { stdout: pid } = await engine.run(['inspect', '--format', '{{.State.Pid}}', name]);
      await engine.run(['kill', name]);
      // The engine reports the end of a container after it has removed it: until then its pod counts as running.
      await until(
        async () => existsSync(`/proc/${pid.trim()}`),
        (exists) => !exists,
      );
      const all = calls === 'one call' ? [{ do: 'echo' }] : [{ do: 'echo' }, { do: 'echo' }];
      const answers = await Promise.all(all.map((input) => call(revision.id, input)));
      expect(answers.map(({ failure }) => failure)).toEqual(all.map(() => undefined));
      const [present] = (await statusOf(revision.id)).pods;
      expect(present?.name).not.toBe(name);
    },
  );

  test('are started again up to the minimum scale when one is killed', async () => {
    const { statusOf, prepared } = shared;
    const revision = revisionOf(image, { minScale: 1 });
    await prepared(revision);
    const running = () =>
      until(
        () => statusOf(revision.id),
        ({ pods }) => pods[0]?.status === 'Running',
      );
    const former = (await running()).pods[0]?.name ?? '';
    await engine.run(['kill', former]);
    await until(
      () => statusOf(revision.id),
      ({ pods }) => pods[0]?.name !== former || pods[0].status === 'Failed',
    );
    const { pods } = await until(
      () => statusOf(revision.id),
      ({ pods: [pod] }) => pod?.name !== former && pod?.status === 'Running',
    );
    expect(pods).toHaveLength(1);
  });

  test('let a call be cancelled before they listen', async () => {
    const { containers, call, prepared } = shared;
    const revision = revisionOf(image, { command: ['/node', '/function.mjs', 'silent'] });
    await prepared(revision);
    const waiting = call(revision.id, { do: 'echo' }, { actionId: 'early-1' });
    await containers.cancel(revision.id, 'early-1');
    expect((await waiting).failure).toEqual({ code: '', message: 'the call was cancelled' });
  });

  test('end, with their calls, when the revision is removed', async () => {
    const folder = newFolder();
    const { containers, call, prepared } = opened({ folder });
    const revision = revisionOf(image);
    await prepared(revision);
    await call(revision.id, { do: 'echo' });
    const slow = call(revision.id, { do: 'sleep', ms: 60_000 });
    await containers.remove(revision.id);
    expect((await slow).failure).toEqual({ code: '', message: 'the service was removed' });
    expect(await namesIn(engine, folder)).toEqual([]);
    expect(await containers.status([revision.id])).toEqual([undefined]);
    await containers.remove(revision.id);
  });

  test('end with the service; the next service with the folder knows their revisions', async () => {
    const folder = newFolder();
    const revision = revisionOf(image, { minScale: 1 });
    const first = openContainers({ folder });
    await first.prepared(revision);
    expect((await first.call(revision.id, { do: 'echo' })).failure).toBeUndefined();
    await first.containers.close();
    expect(await namesIn(engine, folder)).toEqual([]);
    const second = opened({ folder });
    await second.containers.resume();
    expect((await second.call(revision.id, { do: 'echo' })).failure).toBeUndefined();
    await second.containers.remove(revision.id);
    await second.containers.close();
    open.length = 0;
    const third = opened({ folder });
    await third.containers.resume();
    expect(await third.containers.status([revision.id])).toEqual([undefined]);
  });

  test('and their sidecars are removed when the service is killed', async () => {
    const folder = newFolder();
    const child = spawn(process.execPath, [PROCESS, folder, image], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(child.stdout, 'data');
    const { failure, pod } = JSON.parse(String(line));
    expect(failure).toBeUndefined();
    expect((await namesIn(engine, folder)).toSorted()).toEqual([pod, `${pod}-sidecar`]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await until(
      () => namesIn(engine, folder),
      (names) => names.length === 0,
    );
  });

  test('of a killed service are removed by the next one', async () => {
    const folder = newFolder();
    const owner = { installation: installationOf(folder), process: 'killed' };
    const command = ['--entrypoint', '/node', image, '-e', 'setInterval(() => undefined, 1000)'];
    const ulimits = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024'];
    await engine.run(['run', '-d', '--network', 'none', ...ulimits, ...labels(owner, 'function'), ...command]);
    expect(await namesIn(engine, folder)).toHaveLength(1);
    const { containers } = opened({ folder });
    expect(await containers.problem()).toBeUndefined();
    expect(await namesIn(engine, folder)).toEqual([]);
  });
});
