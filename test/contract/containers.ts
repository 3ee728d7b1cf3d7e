import { randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ContainerCall, ContainerHost, ContainerResult } from '../../lib/ports/containers.ts';
import { recordingHost } from '../adapters/local/containers/fixtures/caller.ts';
import { archiveOf } from '../containers/fixtures/archive.ts';

const MIB = 1024 * 1024;

/** The result of a call of the test function. */
export interface CalledFunction {
  readonly failure: ContainerResult['failure'] | undefined;
  readonly outputs: ContainerResult['outputs'];
  readonly text: string;
  readonly json: () => ReturnType<typeof JSON.parse>;
}

/** A revision of the test function, ready to be called, with the variable GREETING in its environment. */
export interface OpenedFunction {
  call(input: object, given: Partial<ContainerCall>): Promise<CalledFunction>;
  cancel(actionId: string): Promise<void>;
  /** The parent of the temporary directories of calls, as the function sees it. */
  readonly folder: string;
  close(): Promise<void>;
}

/** The value of the variable GREETING. */
export const GREETING = 'good morning = "x"';

/**
 * The contract between the service and a container (workflow-language reference, 11 and 12).
 * @param missing why the tests are skipped
 */
export function containersContract(open: () => Promise<OpenedFunction>, missing?: string): void {
  let opened: OpenedFunction;
  const call = (input: object, given: Partial<ContainerCall> = {}) => opened.call(input, given);

  beforeEach(({ skip }) => skip(missing !== undefined, missing));
  beforeAll(async () => {
    if (missing === undefined) opened = await open();
  });
  afterAll(() => opened?.close());

  test('passes the input, and the headers of both brands', async () => {
    const given = { actionId: 'action-1', instanceId: 'instance-1', iterator: 4 };
    const { json, failure } = await call({ do: 'echo', text: 'ä' }, given);
    expect(failure).toBeUndefined();
    const { input, headers, environment } = json();
    expect(input).toEqual({ do: 'echo', text: 'ä' });
    expect(environment).toBe(GREETING);
    for (const brand of ['direktiv', 'service']) {
      expect(headers).toMatchObject({
        [`${brand}-actionid`]: 'action-1',
        [`${brand}-tempdir`]: `${opened.folder}/action-1`,
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
  ])('fails with the error of the %s headers, with any status (%d)', async (brand, status) => {
    const result = await call({ do: 'error', brand, status, code: 'shop.empty', message: 'no bread' });
    expect(result).toMatchObject({ text: '', failure: { code: 'shop.empty', message: 'no bread' } });
  });

  test('treats an error message without a code as a crash', async () => {
    const { failure } = await call({ do: 'error', brand: 'Direktiv', code: '', message: 'no bread' });
    expect(failure).toEqual({ code: '', message: 'no bread' });
  });

  test('reads the message of the error headers as UTF-8', async () => {
    const { failure } = await call({
      do: 'error',
      brand: 'Service',
      code: 'shop.empty',
      message: 'kein Brot in Köln, 0 €',
    });
    expect(failure).toEqual({ code: 'shop.empty', message: 'kein Brot in Köln, 0 €' });
  });

  test("fails with 'container failed' for an error status without error headers", async () => {
    const { failure } = await call({ do: 'status', status: 503, text: 'closed today' });
    expect(failure).toEqual({ code: 'container failed', message: 'closed today' });
  });

  test('fails without a code when the connection ends in the middle of the answer', async () => {
    const { failure, text } = await call({ do: 'half' });
    expect(failure?.code).toBe('');
    expect(failure?.message).toMatch(/connection|aborted/);
    expect(text).toBe('');
  });

  test('returns a body that is not JSON unchanged', async () => {
    expect(await call({ do: 'text', text: 'plain <b>' })).toMatchObject({
      text: 'plain <b>',
      failure: undefined,
    });
  });

  test('returns an answer of 100 MiB', async () => {
    const { text, failure } = await call({ do: 'large', bytes: 100 * MIB });
    expect(failure).toBeUndefined();
    expect(text.length).toBe(100 * MIB);
    expect(/^x+$/.test(text.slice(-1000))).toBe(true);
  });

  test('rejects an answer that is declared longer than 128 MiB', async () => {
    const { failure } = await call({ do: 'large', bytes: 10, declared: 129 * MIB });
    expect(failure).toEqual({ code: '', message: 'the answer is longer than 128 MiB' });
  });

  test('notifies the container of a cancellation, and aborts the call after a grace period', async () => {
    const begun = Promise.withResolvers<void>();
    const host = { ...recordingHost().host, log: async () => begun.resolve() };
    const slow = call({ do: 'sleep', ms: 60_000, logs: true }, { actionId: 'cancelled-1', host });
    await begun.promise;
    await opened.cancel('cancelled-1');
    expect((await slow).failure).toEqual({ code: '', message: 'the call was cancelled' });
    expect((await call({ do: 'deleted' })).json()).toContain('cancelled-1');
  });

  test('ends a call at its deadline, and notifies the container', async () => {
    const given = { actionId: 'late-1', deadline: Date.now() + 300 };
    const slow = await call({ do: 'sleep', ms: 60_000 }, given);
    expect(slow.failure).toEqual({ code: '', message: 'the call was not answered before its deadline' });
    expect((await call({ do: 'deleted' })).json()).toContain('late-1');
  });

  test('logs what the container sends in either form', async () => {
    const { logs, host } = recordingHost();
    const steps = [
      { path: '/log?aid=ID', method: 'POST', body: 'first\nline' },
      { path: '/log?aid=ID&log=second%20line' },
      { path: '/log?aid=ID', method: 'POST', body: '' },
      { path: '/log?aid=unknown', method: 'POST', body: 'lost' },
    ];
    const result = (await call({ do: 'helper', steps }, { host })).json();
    expect(result.map(({ status }: { status: number }) => status)).toEqual([200, 200, 200, 500]);
    expect(logs).toEqual(['first\nline', 'second line']);
  });

  test('rejects a log entry of more than 4 MiB', async () => {
    const { logs, host } = recordingHost();
    const steps = [{ path: '/log?aid=ID', method: 'POST', body: 'x'.repeat(4 * MIB + 1) }];
    expect((await call({ do: 'helper', steps }, { host })).json()[0].status).toBe(413);
    expect(logs).toEqual([]);
  });

  test('lets the container read and store variables', async () => {
    const { variables, host } = recordingHost();
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
      { path: '/var?aid=unknown&key=mine' },
    ];
    const result = (await call({ do: 'helper', steps }, { host })).json();
    expect(result).toMatchObject([
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

  test('lets the container read files of the tree, and rejects writes', async () => {
    const { variables, host } = recordingHost();
    variables.set('file/../notes', { text: 'states: []' });
    const path = '/var?aid=ID&scope=file&key=..%2Fnotes';
    const steps = [
      { path },
      { path: '/var?aid=ID&scope=file&key=none' },
      { path: '/var?aid=ID&scope=file&key=forbidden' },
      { path, method: 'POST', body: 'mine' },
    ];
    expect((await call({ do: 'helper', steps }, { host })).json()).toEqual([
      { status: 200, text: 'states: []' },
      { status: 200, text: '' },
      { status: 500, text: 'this key is not for you' },
      { status: 405, text: "the scope 'file' is read-only: a file of the tree is read with GET" },
    ]);
    expect([...variables]).toEqual([['file/../notes', { text: 'states: []' }]]);
  });

  test.each([
    [2 * MIB, 200],
    [2 * MIB + 1, 411],
  ])('answers a variable of %d bytes without a declared length with %d', async (bytes, status) => {
    expect((await call({ do: 'undeclared', bytes })).json().status).toBe(status);
  });

  test('places files of all types into the temporary directory', async () => {
    const tar = await archiveOf({ 'a/b.txt': 'deep', empty: undefined });
    const files = [
      { name: 'plain.txt', type: 'plain', bytes: Buffer.from('as it is') },
      { name: 'in/a/folder.txt', type: 'base64', bytes: Buffer.from(Buffer.from('decoded').toString('base64')) },
      { name: 'archive', type: 'tar', bytes: tar },
      { name: 'zipped', type: 'tar.gz', bytes: gzipSync(tar) },
      { name: 'nothing', type: 'tar', bytes: Buffer.alloc(0) },
    ] as const;
    const found = (await call({ do: 'files' }, { files })).json();
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
    const { failure } = await call({ do: 'echo' }, { files });
    expect(failure).toEqual({ code: '', message: "the file 'pack' is not a tar archive, but its type says so" });
    const clash = [
      { name: 'same', type: 'plain', bytes: Buffer.from('1') },
      { name: 'same/below', type: 'plain', bytes: Buffer.from('2') },
    ] as const;
    const result = await call({ do: 'echo' }, { files: clash });
    expect(result.failure?.message).toMatch(/'same\/below' cannot be placed/);
  });

  test('collects outputs, a directory as tar.gz, and deletes them in the container', async () => {
    const files = { 'instance/note.txt': 'hello', 'workflow/pages/one.txt': '1', 'namespace/n': 'all' };
    const { outputs, failure } = await call({ do: 'leave', files }, { actionId: 'leaving-1' });
    expect(failure).toBeUndefined();
    const byName = Object.fromEntries(
      outputs.map(({ scope, name, bytes }) => [`${scope}/${name}`, Buffer.from(bytes)]),
    );
    expect(Object.keys(byName).toSorted()).toEqual(['instance/note.txt', 'namespace/n', 'workflow/pages']);
    expect(byName['instance/note.txt']?.toString()).toBe('hello');
    expect(gunzipSync(byName['workflow/pages'] ?? '').toString()).toContain('one.txt');
    expect((await call({ do: 'left' })).json()).not.toContain('leaving-1');
  });

  test('collects outputs also of a call that fails', async () => {
    const result = await call({ do: 'leave', files: { 'instance/half': 'done' }, thenFail: 'shop.shut' });
    expect(result.failure).toEqual({ code: 'shop.shut', message: 'as requested' });
    expect(result.outputs.map(({ name }) => name)).toEqual(['half']);
  });

  test('rejects a symbolic link among the outputs, and collects the rest', async () => {
    const links = { 'instance/passwords': '/etc/passwd', 'workflow/pages/up': '../../../..' };
    const files = { 'instance/good': 'yes', 'workflow/pages/one': '1' };
    const { failure, outputs } = await call({ do: 'leave', files, links });
    expect(failure?.code).toBe('');
    expect(failure?.message).toMatch(/out\/instance\/passwords is a link/);
    expect(outputs.map(({ name }) => name)).toEqual(['good']);
  });

  test('accepts an input of 30 MiB', async () => {
    const input = { do: 'size', text: 'x'.repeat(30 * MIB) };
    const { json, failure } = await call(input);
    expect(failure).toBeUndefined();
    expect(json()).toBe(JSON.stringify(input).length);
  });

  test('passes a variable of 20 MiB in and out', async () => {
    const { host: plain } = recordingHost();
    const bytes = randomBytes(20 * MIB);
    const stored = new Map<string, Uint8Array>([['instance/from', bytes]]);
    const host: ContainerHost = {
      ...plain,
      variable: async (scope, key) => stored.get(`${scope}/${key}`),
      setVariable: async (scope, key, given) => void stored.set(`${scope}/${key}`, given),
    };
    const { json, failure } = await call({ do: 'pass', from: 'from', to: 'to' }, { host });
    expect(failure).toBeUndefined();
    expect(json()).toEqual([200, 200]);
    expect(bytes.equals(stored.get('instance/to') ?? Buffer.alloc(0))).toBe(true);
  });

  test('keeps the variables of three scopes apart', async () => {
    const { variables, host } = recordingHost();
    const scopes = ['instance', 'workflow', 'namespace'];
    const steps = [
      ...scopes.map((scope) => ({ path: `/var?aid=ID&scope=${scope}&key=k`, method: 'POST', body: `of ${scope}` })),
      ...scopes.map((scope) => ({ path: `/var?aid=ID&scope=${scope}&key=k` })),
    ];
    const result = (await call({ do: 'helper', steps }, { host })).json();
    expect(result.slice(3).map(({ text }: { text: string }) => text)).toEqual(scopes.map((scope) => `of ${scope}`));
    expect([...variables.keys()]).toEqual(scopes.map((scope) => `${scope}/k`));
  });

  test('calls a new container after the last one ended in the middle of a call', async () => {
    const { failure } = await call({ do: 'exit', code: 7, words: 'out of paper' });
    expect(failure).toEqual({
      code: '',
      message: 'the container ended with exit code 7 before it answered: out of paper',
    });
    expect((await call({ do: 'text', text: 'back' })).text).toBe('back');
  });
}
