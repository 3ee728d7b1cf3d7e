import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ContainerRevision } from '../../lib/ports.ts';
import { callingContainers, hearing, revisionOf, until } from './containers/caller.ts';
import { archiveOf, engineForTests, makeTestImage } from './containers/image.ts';

const engine = await engineForTests();
const missing = typeof engine === 'string' ? engine : undefined;
const MIB = 1024 * 1024;

describe('a call of a container', () => {
  const { containers, call, statusOf, prepared } = callingContainers({
    folder: undefined,
    patience: { cancelMs: 500 },
  });
  let revision: ContainerRevision;

  beforeEach(({ skip }) => skip(missing !== undefined, missing));

  beforeAll(async () => {
    if (typeof engine === 'string') return;
    revision = revisionOf(await makeTestImage(engine), { environment: { GREETING: 'good morning = "x"' } });
    await prepared(revision);
  });

  afterAll(() => containers.close());

  test('hands over the input, and the headers in both spellings', async () => {
    const given = { actionId: 'action-1', instanceId: 'instance-1', iterator: 4 };
    const { json, failure } = await call(revision.id, { do: 'echo', text: 'ä' }, given);
    expect(failure).toBeUndefined();
    const { input, headers, environment } = json();
    expect(input).toEqual({ do: 'echo', text: 'ä' });
    expect(environment).toBe('good morning = "x"');
    for (const brand of ['direktiv', 'service']) {
      expect(headers).toMatchObject({
        [`${brand}-actionid`]: 'action-1',
        [`${brand}-tempdir`]: '/mnt/shared/action-1',
        [`${brand}-instanceid`]: 'instance-1',
        [`${brand}-namespace`]: 'demo',
        [`${brand}-step`]: '2',
        [`${brand}-iterator`]: '4',
      });
    }
    expect(headers['content-type']).toBe('application/json');
  });

  test.each([
    ['Direktiv', 200],
    ['Service', 500],
  ])('gives the error of the %s headers, whatever the status %d says', async (brand, status) => {
    const told = await call(revision.id, { do: 'error', brand, status, code: 'shop.empty', message: 'no bread' });
    expect(told).toMatchObject({ text: '', failure: { code: 'shop.empty', message: 'no bread' } });
  });

  test('takes an error message without a code for a crash', async () => {
    const { failure } = await call(revision.id, { do: 'error', brand: 'Direktiv', code: '', message: 'no bread' });
    expect(failure).toEqual({ code: '', message: 'no bread' });
  });

  test('takes a status of failure without error headers for the error of a failed container', async () => {
    const { failure } = await call(revision.id, { do: 'status', status: 503, text: 'closed today' });
    expect(failure).toEqual({ code: 'container failed', message: 'closed today' });
  });

  test('fails without a code when the connection ends within the answer', async () => {
    const { failure, text } = await call(revision.id, { do: 'half' });
    expect(failure?.code).toBe('');
    expect(failure?.message).toMatch(/connection|aborted/);
    expect(text).toBe('');
  });

  test('gives a body that is not JSON as it is', async () => {
    expect(await call(revision.id, { do: 'text', text: 'plain <b>' })).toMatchObject({
      text: 'plain <b>',
      failure: undefined,
    });
  });

  test('brings 100 MiB back', async () => {
    const { text, failure } = await call(revision.id, { do: 'large', bytes: 100 * MIB });
    expect(failure).toBeUndefined();
    expect(text.length).toBe(100 * MIB);
    expect(/^x+$/.test(text.slice(-1000))).toBe(true);
  });

  test('refuses an answer that is declared longer than 128 MiB', async () => {
    const { failure } = await call(revision.id, { do: 'large', bytes: 10, declared: 129 * MIB });
    expect(failure).toEqual({ code: '', message: 'the answer is longer than 128 MiB' });
  });

  test('answers many calls at once, ten of them in the container', async () => {
    const calls = Array.from({ length: 25 }, () => call(revision.id, { do: 'sleep', ms: 200 }));
    const told = (await Promise.all(calls)).map(({ json }) => json());
    expect(new Set(told.map(({ id }) => id)).size).toBe(25);
    expect(Math.max(...told.map(({ calls: atOnce }) => atOnce))).toBeLessThanOrEqual(10);
  });

  test('refuses those that come when a hundred are waiting', async () => {
    const calls = Array.from({ length: 115 }, () => call(revision.id, { do: 'sleep', ms: 20 }));
    const failures = (await Promise.all(calls)).flatMap(({ failure }) => failure ?? []);
    expect(failures.length).toBe(5);
    expect(failures[0]).toEqual({
      code: '',
      message: '100 calls are waiting for this service already; try again later',
    });
  });

  test('tells the container of a cancellation, and breaks the call off a while later', async () => {
    const { host } = hearing();
    const slow = call(revision.id, { do: 'sleep', ms: 60_000 }, { actionId: 'cancelled-1', host });
    await sleep(200);
    await containers.cancel(revision.id, 'cancelled-1');
    expect((await slow).failure).toEqual({ code: '', message: 'the call was cancelled' });
    expect((await call(revision.id, { do: 'deleted' })).json()).toContain('cancelled-1');
  });

  test('ends a call at its deadline', async () => {
    const slow = await call(
      revision.id,
      { do: 'sleep', ms: 60_000 },
      { actionId: 'late-1', deadline: Date.now() + 300 },
    );
    expect(slow.failure).toEqual({ code: '', message: 'the call was not answered before its deadline' });
    expect((await call(revision.id, { do: 'deleted' })).json()).toContain('late-1');
  });

  test('lets the container log in both ways', async () => {
    const { logs, host } = hearing();
    const steps = [
      { path: '/log?aid=ID', method: 'POST', body: 'first\nline' },
      { path: '/log?aid=ID&log=second%20line' },
      { path: '/log?aid=ID', method: 'POST', body: '' },
      { path: '/log?aid=nobody', method: 'POST', body: 'lost' },
    ];
    const told = (await call(revision.id, { do: 'helper', steps }, { host })).json();
    expect(told.map(({ status }: { status: number }) => status)).toEqual([200, 200, 200, 500]);
    expect(logs).toEqual(['first\nline', 'second line']);
  });

  test('refuses a log entry of more than 4 MiB', async () => {
    const { logs, host } = hearing();
    const steps = [{ path: '/log?aid=ID', method: 'POST', body: 'x'.repeat(4 * MIB + 1) }];
    expect((await call(revision.id, { do: 'helper', steps }, { host })).json()[0].status).toBe(413);
    expect(logs).toEqual([]);
  });

  test('lets the container read and store variables', async () => {
    const { variables, host } = hearing();
    const steps = [
      {
        path: '/var?aid=ID&scope=workflow&key=total',
        method: 'POST',
        body: '42',
        headers: { 'Content-Type': 'text/x-sum' },
      },
      { path: '/var?aid=ID&scope=workflow&key=total' },
      { path: '/var?aid=ID&key=none' },
      { path: '/var?aid=ID&key=mine', method: 'POST', body: 'x' },
      { path: '/var?aid=ID&key=forbidden' },
      { path: '/var?aid=ID&key=mine', method: 'DELETE' },
      { path: '/var?aid=ID&scope=galaxy&key=mine' },
      { path: '/var?aid=nobody&key=mine' },
    ];
    const told = (await call(revision.id, { do: 'helper', steps }, { host })).json();
    expect(told).toMatchObject([
      { status: 200 },
      { status: 200, text: '42' },
      { status: 200, text: '' },
      { status: 200 },
      { status: 500, text: 'this key is not for you' },
      { status: 405 },
      { status: 400 },
      { status: 500 },
    ]);
    expect(variables.get('workflow/total')).toEqual({ text: '42', mimeType: 'text/x-sum' });
    expect(variables.get('instance/mine')?.text).toBe('x');
  });

  test.each([
    [2 * MIB, 200],
    [2 * MIB + 1, 411],
  ])('answers a variable of %d bytes without a declared length with %d', async (bytes, status) => {
    expect((await call(revision.id, { do: 'undeclared', bytes })).json().status).toBe(status);
  });

  test('puts files of all types into the temporary directory', async () => {
    const tar = await archiveOf({ 'a/b.txt': 'deep', empty: undefined });
    const files = [
      { name: 'plain.txt', type: 'plain', bytes: Buffer.from('as it is') },
      { name: 'in/a/folder.txt', type: 'base64', bytes: Buffer.from(Buffer.from('decoded').toString('base64')) },
      { name: 'archive', type: 'tar', bytes: tar },
      { name: 'zipped', type: 'tar.gz', bytes: gzipSync(tar) },
      { name: 'nothing', type: 'tar', bytes: Buffer.alloc(0) },
    ] as const;
    const found = (await call(revision.id, { do: 'files' }, { files })).json();
    expect(Object.fromEntries(found)).toMatchObject({
      'plain.txt': 'as it is',
      'in/a/folder.txt': 'decoded',
      'archive/a/b.txt': 'deep',
      'archive/empty/': '',
      'zipped/a/b.txt': 'deep',
      'nothing/': '',
      'out/instance/': '',
      'out/workflow/': '',
      'out/namespace/': '',
    });
  });

  test('fails without a code, and without a call, for a file that cannot be placed', async () => {
    const files = [{ name: 'pack', type: 'tar', bytes: Buffer.from('not a tar'.repeat(200)) }] as const;
    const { failure } = await call(revision.id, { do: 'echo' }, { files });
    expect(failure).toEqual({ code: '', message: "the file 'pack' is not a tar archive, but its type says so" });
    const clash = [
      { name: 'same', type: 'plain', bytes: Buffer.from('1') },
      { name: 'same/below', type: 'plain', bytes: Buffer.from('2') },
    ] as const;
    const told = await call(revision.id, { do: 'echo' }, { files: clash });
    expect(told.failure?.message).toMatch(/'same\/below' cannot be placed/);
  });

  test('collects what the container leaves, a directory as tar.gz, and removes it there', async () => {
    const files = { 'instance/note.txt': 'hello', 'workflow/pages/one.txt': '1', 'namespace/n': 'all' };
    const { outputs, failure } = await call(revision.id, { do: 'leave', files }, { actionId: 'leaving-1' });
    expect(failure).toBeUndefined();
    const byName = Object.fromEntries(
      outputs.map(({ scope, name, bytes }) => [`${scope}/${name}`, Buffer.from(bytes)]),
    );
    expect(Object.keys(byName).toSorted()).toEqual(['instance/note.txt', 'namespace/n', 'workflow/pages']);
    expect(byName['instance/note.txt']?.toString()).toBe('hello');
    expect(gunzipSync(byName['workflow/pages'] ?? '').toString()).toContain('one.txt');
    expect((await call(revision.id, { do: 'left' })).json()).not.toContain('leaving-1');
  });

  test('collects what the container leaves also when it fails', async () => {
    const told = await call(revision.id, { do: 'leave', files: { 'instance/half': 'done' }, thenFail: 'shop.shut' });
    expect(told.failure).toEqual({ code: 'shop.shut', message: 'as told' });
    expect(told.outputs.map(({ name }) => name)).toEqual(['half']);
  });

  test('refuses a link among what the container leaves, and takes the rest', async () => {
    const links = { 'instance/passwords': '/etc/passwd', 'workflow/pages/up': '../../../..' };
    const files = { 'instance/good': 'yes', 'workflow/pages/one': '1' };
    const { failure, outputs } = await call(revision.id, { do: 'leave', files, links });
    expect(failure?.code).toBe('');
    expect(failure?.message).toMatch(/out\/instance\/passwords is a link/);
    expect(outputs.map(({ name }) => name)).toEqual(['good']);
  });

  test('shows the pod and what it wrote', async () => {
    await call(revision.id, { do: 'print', words: 'Grüße' });
    const [pod] = (await statusOf(revision.id)).pods;
    expect(pod?.status).toBe('Running');
    const read = (from: number) => containers.output(pod?.name ?? '', from);
    const all = await until(
      () => read(0),
      (told) => told?.text.includes('Grüße\n') ?? false,
    );
    expect(all?.text).toMatch(/^begun serve true\n/);
    expect((await read(all?.end ?? 0))?.text).toBe('');
    expect(await containers.output('nobody', 0)).toBeUndefined();
  });

  test('fails for a revision that was never prepared', async () => {
    const { failure } = await call('unknown-00001', { do: 'echo' });
    expect(failure?.message).toBe("the revision 'unknown-00001' was never prepared, or is removed");
    expect(await containers.status(['unknown-00001'])).toEqual([undefined]);
  });
});
