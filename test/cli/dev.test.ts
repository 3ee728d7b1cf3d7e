import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { RunWatch } from '../../bin/cli/dev/runs.ts';
import { type CommandResult, openWorkspace, type StartOptions, type Workspace } from './workspace.ts';

const NOOP = 'states:\n- {id: a, type: noop}\n';
const FAILING = 'states:\n- {id: a, type: error, error: order.lost, message: gone}\n';
const GREET = 'states:\n- {id: a, type: noop, transform: {text: hello}}\n';
const TEST = 'workflow: greet.yaml\ncases:\n- {name: greets, expect: {output: {text: hello}}}\n';

let workspace: Workspace;
/** Stops what a test left running. */
const stops: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  workspace = await openWorkspace();
});

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await workspace.clear();
});

interface Dev {
  /** What was printed so far. */
  printed(): string;
  /** Resolves with the printed text when it contains this one. */
  until(text: string | RegExp): Promise<string>;
  stop(): Promise<CommandResult>;
}

/** Starts `weft dev` in this process. */
function startDev(args: readonly string[] = [], { env = {} }: StartOptions = {}): Dev {
  const interrupt = new AbortController();
  const waiting = new Set<() => void>();
  let text = '';
  const onOutput = (part: string) => {
    text += part.endsWith('\n') ? part : `${part}\n`;
    for (const look of waiting) look();
  };
  const started = { env: { PORT: '0', ...env }, signal: interrupt.signal, onOutput };
  const ended = workspace.weft(['dev', ...args], started);
  const until = (wanted: string | RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        if (typeof wanted === 'string' ? !text.includes(wanted) : !wanted.test(text)) return;
        waiting.delete(look);
        resolve(text);
      };
      waiting.add(look);
      look();
      void ended.then(({ out, err }) => reject(new Error(`weft dev has ended: ${out}${err}`)));
    });
  const stop = () => {
    interrupt.abort();
    return ended;
  };
  stops.push(stop);
  return { printed: () => text, until, stop };
}

describe('weft dev', () => {
  test('pushes, lints and tests a folder, again after each change, and shows its runs, until Ctrl-C', async () => {
    await workspace.write({ 'greet.yaml': GREET, 'greet.test.yaml': TEST, 'lost.yaml': FAILING });
    const dev = startDev();
    await dev.until('watching for changes');
    expect(dev.printed()).toContain('created    workflow greet\ncreated    workflow lost\n');
    expect(dev.printed()).toContain('1 passed, 0 failed\n');

    const ran = await workspace.weft(['exec', 'greet', '-q'], { env: { WEFT_NAMESPACE: 'dev' } });
    expect(ran).toMatchObject({ code: 0, out: '{\n  "text": "hello"\n}\n' });
    await dev.until(/✓ \S+ \/greet complete in \d+\.\d{3} s\n/);
    await workspace.weft(['exec', 'lost', '-q'], { env: { WEFT_NAMESPACE: 'dev' } });
    await dev.until(/✗ \S+ \/lost failed in \d+\.\d{3} s: order\.lost: gone\n/);

    await workspace.write({ 'greet.yaml': GREET.replace('hello', 'bye') });
    await dev.until('updated    workflow greet');
    await dev.until('output.text: expected "hello", found "bye"');
    await workspace.write({ 'lost.yaml': 'states: [{id: a, type: nop}]\n' });
    await dev.until("did you mean 'noop'?");
    await dev.until(/failed {5}workflow lost: /);
    // The tests of a workflow that did not change are not run again.
    expect(dev.printed().match(/\d passed, \d failed/g)).toEqual(['1 passed, 0 failed', '0 passed, 1 failed']);

    expect((await dev.stop()).code).toBe(130);
    await expect(stat(join(workspace.folder, '.weft/service.json'))).rejects.toThrow('ENOENT');
  });

  test('prints a link that signs in once, and prints the key nowhere', async () => {
    await workspace.write({ 'flows/a.yaml': NOOP });
    const dev = startDev(['flows']);
    await dev.until('watching for changes');
    const [, url = '', code = ''] = /console +(http:\S+?)\/ui\/#code=(\S+)/.exec(dev.printed()) ?? [];
    const redeem = (given: string) =>
      fetch(`${url}/ui/sign-in`, { method: 'POST', headers: { 'Sign-In-Code': given } });
    const key = (await readFile(join(workspace.folder, 'flows/.weft/api-key'), 'utf8')).trim();
    expect(dev.printed()).not.toContain(key);
    expect((await redeem('guessed')).status).toBe(401);
    const first = await redeem(code);
    expect([first.headers.get('cache-control'), await first.json()]).toEqual(['no-store', { key }]);
    const second = await redeem(code);
    expect(second.status).toBe(401);
    expect(await second.json()).toMatchObject({ message: expect.stringContaining('the link was used before') });
    await dev.stop();
  });

  test('begins a project as README.md says', async () => {
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    const section = readme.split('\n## ').find((part) => part.startsWith('Begin a project\n')) ?? '';
    const [commands = '', output = ''] = [...section.matchAll(/^```\w+\n(.*?)\n```$/gms)].map(([, text = '']) => text);
    const [, init = [], dev = []] = commands.split('\n').map((line) => line.split(' ').slice(1));
    expect(await workspace.weft(init)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/next: weft dev my-flows\n$/),
    });
    expect(dev[0]).toBe('dev');
    const started = startDev(dev.slice(1));
    const printed = await started.until('watching for changes');
    const plain = (text: string) =>
      text
        .replace(/http:\/\/127[\d.]+:\d+/g, 'URL')
        .replace(/code=\S+/g, 'CODE')
        .replace(/\(\d+ ms\)/g, '(MS)');
    expect(plain(printed).replace('watching for changes …\n', '')).toBe(`${plain(output)}\n`);
  });

  test('serves on loopback at another port if the default one is taken, in the namespace of .weft.yaml', async () => {
    await workspace.write({ 'a.yaml': NOOP, '.weft.yaml': 'namespace: ours\n' });
    const taken = createServer();
    // Where something else listens at 8080 already, that is the case under test.
    await new Promise<void>((resolve) => {
      taken.once('error', () => resolve());
      taken.listen(8080, '127.0.0.1', resolve);
    });
    const dev = startDev([], { env: { PORT: '', HOST: '0.0.0.0' } });
    const printed = await dev.until('watching for changes');
    taken.close();
    expect(printed).toMatch(/service {4}http:\/\/127\.0\.0\.1:(?!8080)\d+, namespace ours, folder \.; Ctrl-C stops it/);
    expect((await workspace.weft(['workflows'])).out).toContain('a');
    await dev.stop();
  });

  test('names a folder that is none, and a data folder that another service has', async () => {
    await workspace.write({ 'a.yaml': NOOP });
    expect(await workspace.weft(['dev', 'none'])).toMatchObject({ code: 2, err: expect.stringContaining("'none'") });
    expect((await workspace.weft(['dev', 'a.yaml'])).err).toContain("'a.yaml' is a file; give its folder");
    const dev = startDev();
    await dev.until('watching for changes');
    const second = await workspace.weft(['dev'], { env: { PORT: '0' } });
    expect(second.code).toBe(1);
    expect(second.err).toContain('is in use by another Weft; stop that one, or choose another folder');
    await dev.stop();
  });
});

describe('the runs that weft dev shows', () => {
  const row = (id: string, status: string, more = {}) => ({ id, status, as: '/w', invoker: 'api', ...more });

  test('are shown at their start and at their end, each once, the oldest first, without subflows', () => {
    const watch = new RunWatch();
    const shown = (rows: readonly unknown[]) => watch.next(rows).map(({ id, status }) => `${id} ${status}`);
    expect(shown([row('2', 'pending'), row('1', 'pending')])).toEqual(['1 pending', '2 pending']);
    expect(shown([row('2', 'pending'), row('1', 'complete')])).toEqual(['1 complete']);
    expect(shown([row('3', 'pending', { invoker: 'instance:1' }), row('2', 'pending'), row('1', 'complete')])).toEqual(
      [],
    );
  });
});

describe('a service that runs in a folder', () => {
  const announce = async (content: object, key = 'a-key-of-the-folder') => {
    await mkdir(join(workspace.folder, '.weft'), { recursive: true });
    await writeFile(join(workspace.folder, '.weft/service.json'), JSON.stringify(content));
    await writeFile(join(workspace.folder, '.weft/api-key'), `${key}\n`);
  };
  const asked = async (env = {}) => (await workspace.weft(['keys', 'list'], { env, cwd: 'below' })).err;

  test.each([
    ['of another computer', { url: 'http://stranger.example', pid: process.pid, keyFile: 'api-key' }],
    ['that was killed', { url: 'http://127.0.0.1:1', pid: 2 ** 30, keyFile: 'api-key' }],
    ['with a key elsewhere', { url: 'http://127.0.0.1:1', pid: 0, keyFile: '../key' }],
  ])('is not used if it is one %s', async (_, content) => {
    await workspace.write({ 'below/x': '' });
    await announce(content);
    expect(await asked()).toContain('http://127.0.0.1:8080');
  });

  test('is used from the folders below it, and not if another service is selected', async () => {
    await workspace.write({ 'below/x': '' });
    await announce({ url: 'http://127.0.0.1:1', pid: process.pid, keyFile: 'api-key' });
    expect(await asked()).toContain('http://127.0.0.1:1 cannot be reached');
    expect(await asked({ WEFT_URL: 'http://127.0.0.1:2' })).toContain('http://127.0.0.1:2 cannot be reached');
  });
});
