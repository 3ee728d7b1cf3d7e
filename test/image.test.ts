import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { detectRunFlags } from '../lib/adapters/local/containers/engine/run-flags.ts';
import { loadedLibraries, prepareSidecarImage } from '../lib/adapters/local/containers/engine/sidecar-image.ts';
import { engineForTests } from './adapters/local/containers/fixtures/image.ts';

const BUSYBOX = ['/bin/busybox', '/usr/bin/busybox'].find((file) => existsSync(file));
const engine = await engineForTests();
const reasons = [
  ...(typeof engine === 'string' ? [engine] : []),
  ...(BUSYBOX === undefined ? ['busybox is not installed'] : []),
];

const id = `localhost/weft-image-${randomUUID().slice(0, 8)}`;
const [base, image] = [`${id}:base`, `${id}:built`];
const KEY = 'a-key-for-the-image-test';

async function run(args: readonly string[]): Promise<string> {
  if (typeof engine === 'string') throw new Error(engine);
  const { code, stdout, stderr } = await engine.run(args);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr || stdout}`);
  return stdout.trim();
}

/** The arguments with which containers start on this machine, beside those of the network and of limits. */
async function startFlags(): Promise<readonly string[]> {
  if (typeof engine === 'string') throw new Error(engine);
  const found = await detectRunFlags(engine, await prepareSidecarImage(engine));
  if ('problem' in found) throw new Error(found.problem);
  return [...found.flags.always, '--network', 'host'];
}

const npm = (...args: string[]): string => execFileSync('npm', args, { encoding: 'utf8' }).trim();

/** The files of an image that stands for that of Node, which no registry here has: Node, npm, a shell and their libraries. */
function writeBase(folder: string): void {
  const put = (path: string, content: string | Buffer, mode = 0o755): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content, { mode });
  };
  for (const library of loadedLibraries()) put(library, readFileSync(library));
  put('usr/local/bin/node', readFileSync(process.execPath));
  cpSync(join(npm('root', '-g'), 'npm'), join(folder, 'usr/lib/npm'), { recursive: true, dereference: true });
  put('usr/local/bin/npm', '#!/bin/sh\nexec node /usr/lib/npm/bin/npm-cli.js "$@"\n');
  put('bin/busybox', readFileSync(BUSYBOX ?? ''));
  for (const name of ['sh', 'mkdir', 'chown']) symlinkSync('busybox', join(folder, 'bin', name));
  const settings = ['userconfig', 'globalconfig']
    .map((name) => npm('config', 'get', name))
    .filter((file) => existsSync(file));
  put('root/.npmrc', settings.map((file) => readFileSync(file, 'utf8')).join('\n'), 0o600);
  const authorities = process.env['NODE_EXTRA_CA_CERTS'];
  put('etc/authorities.pem', authorities === undefined ? '' : readFileSync(authorities), 0o644);
  put('etc/passwd', 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/tmp:/bin/sh\n', 0o644);
  for (const file of ['/etc/resolv.conf', '/etc/hosts']) put(file, readFileSync(file), 0o644);
  mkdirSync(join(folder, 'tmp'));
  chmodSync(join(folder, 'tmp'), 0o1777);
}

async function importBase(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'weft-image-'));
  try {
    writeBase(join(folder, 'files'));
    execFileSync('tar', ['-C', join(folder, 'files'), '-cf', join(folder, 'base.tar'), '.']);
    const environment = ['PATH=/usr/local/bin:/bin', 'NODE_EXTRA_CA_CERTS=/etc/authorities.pem'];
    const changes = environment.flatMap((variable) => ['--change', `ENV ${variable}`]);
    await run(['import', ...changes, join(folder, 'base.tar'), base]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe.skipIf(reasons.length > 0)(`the image${reasons.length > 0 ? ` (${reasons.join('; ')})` : ''}`, () => {
  let flags: readonly string[];
  let volume: string;
  let container: string | undefined;

  beforeAll(async () => {
    flags = await startFlags();
    await importBase();
    await run(['build', ...flags, '--build-arg', `NODE=${base}`, '-f', 'deploy/Containerfile', '-t', image, '.']);
    volume = await run(['volume', 'create']);
  });
  afterAll(async () => {
    if (container !== undefined) await run(['rm', '-f', container]);
    if (volume !== undefined) await run(['volume', 'rm', volume]);
    await run(['rmi', '-f', image, base]).catch(() => '');
  });

  /** Starts the container with no right and a file system that cannot be written, and returns its URL. */
  async function start(): Promise<string> {
    const rights = ['--read-only', '--cap-drop', 'all', '--security-opt', 'no-new-privileges'];
    const settings = ['-e', 'PORT=0', '-e', 'HOST=127.0.0.1', '-e', `APIKEY=${KEY}`, '-v', `${volume}:/data`];
    container = await run(['run', '-d', ...flags, ...rights, ...settings, image]);
    const urlIn = async () => /http:\/\/[\d.:]+/.exec(await run(['logs', container ?? '']))?.[0];
    await expect.poll(urlIn).toBeDefined();
    return (await urlIn()) ?? '';
  }

  const call = async (url: string, method: string, path: string, body?: string) => {
    const headers = { 'Service-Api-Key': KEY };
    const reply = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
    return { status: reply.status, text: await reply.text() };
  };

  test('runs a workflow and serves the console and the documentation, as a user without rights', async () => {
    const url = await start();
    await call(url, 'PUT', '/api/namespaces/demo');
    const workflow = "states:\n- {id: a, type: noop, transform: {hello: 'jq(.name)'}}\n";
    await call(url, 'PUT', '/api/namespaces/demo/tree/hello?op=create-workflow', workflow);
    const ended = await call(url, 'POST', '/api/namespaces/demo/tree/hello?op=wait', '{"name":"image"}');
    expect(JSON.parse(ended.text)).toEqual({ hello: 'image' });
    expect((await call(url, 'GET', '/ui/')).status).toBe(200);
    expect((await call(url, 'GET', '/docs/')).text).toContain('<title>');
    const status = await run([
      'exec',
      container ?? '',
      'sh',
      '-c',
      'while read -r line; do echo "$line"; done < /proc/1/status',
    ]);
    expect(status).toMatch(/^Uid:\s+1000\s+1000/m);
  });

  test('keeps its data in the volume when the container is replaced', async () => {
    await run(['rm', '-f', container ?? '']);
    const url = await start();
    expect((await call(url, 'GET', '/api/namespaces/demo/instances')).text).toContain('"total":1');
  });
});
