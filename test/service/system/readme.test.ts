import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSettings } from '../../../bin/server/settings.ts';
import { families } from '../../../lib/api/registry/families.ts';
import { rows } from '../../../lib/api/registry/routes/index.ts';
import { compile } from '../../../lib/compiler/compile.ts';
import { PRICES } from '../../../lib/pricing/prices.ts';
import { type AnsweringServer, startAnswering } from '../access/answering-server.ts';
import { type ServiceProcess, startProcess } from '../access/process.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const readme = read('README.md');
const manifest = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

/** The text below a heading, up to the next one. */
function sectionOf(page: string, heading: string): string {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`there is no section '${heading}'`);
  return section;
}

interface Block {
  readonly kind: string;
  readonly text: string;
}

function blocksOf(text: string): Block[] {
  const fences = text.matchAll(/^```(\w+)\n(.*?)\n```$/gms);
  return [...fences].map(([, kind = '', block = '']) => ({ kind, text: block }));
}

const blocks = blocksOf(sectionOf(readme, 'Try it'));
const [start, greeting, commands = '', output = ''] = blocks.map(({ text }) => text);

let folder: string;
let service: ServiceProcess;
let registry: AnsweringServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-readme-'));
  service = await startProcess(folder, '');
  registry = await startAnswering({ 'GET /uuid/14.0.3': [{ json: { name: 'uuid', license: 'MIT' } }] });
});

afterAll(async () => {
  await service.end('SIGTERM');
  await registry.close();
  await rm(folder, { recursive: true });
});

/** A text of the documents with the URL and the key of this service, and a separate folder for files. */
const here = (text = ''): string =>
  text
    .replaceAll('http://127.0.0.1:8080', service.client.url)
    .replaceAll('paste-me', service.client.key)
    .replaceAll('.weft/api-key', join(folder, 'api-key'))
    // The test has no network: a server on this machine stands for that of npm.
    .replaceAll('package=uuid/14.0.3', `package=uuid/14.0.3 registry=${registry.url}`)
    .replaceAll('.weft-first-hour', join(folder, 'first-hour'));

/** Runs commands without the settings of this machine, and returns the standard output. */
async function run(script: string): Promise<string> {
  const { PATH } = process.env;
  const env = { PATH, HOME: folder, XDG_CONFIG_HOME: folder, WEFT_URL: service.client.url, WEFT_DATA: folder };
  const { stdout } = await promisify(execFile)('bash', ['-e', '-c', here(script)], { cwd: root, env });
  return stdout;
}

describe('the beginning of README.md', () => {
  test('has a workflow that compiles within twenty lines', () => {
    const [yaml] = blocksOf(readme);
    expect(yaml?.kind).toBe('yaml');
    expect(readme.slice(0, readme.indexOf('```yaml')).split('\n').length).toBeLessThan(20);
    expect(compile(yaml?.text ?? '')).toMatchObject({ plan: expect.anything() });
  });

  test('has the command to start the service, its output, and further commands with their output', () => {
    expect(blocks.map(({ kind }) => kind)).toEqual(['sh', 'text', 'sh', 'text']);
    expect(start).toBe('npm start');
    expect(manifest.scripts['start']).toContain('bin/local.ts');
    expect(readSettings({}).port).toBe(8080);
    expect(service.greeting.join('\n')).toBe(here(greeting));
  });

  test('has commands with their real output, and the first hour continues from there', async () => {
    expect(await run(commands)).toBe(`${output}\n`);
    const page = blocksOf(read('docs/first-hour.md'));
    const [typed, shown] = ['sh', 'text'].map((kind) => page.filter((block) => block.kind === kind));
    expect(await run((typed ?? []).map(({ text }) => text).join('\n'))).toBe(
      (shown ?? []).map(({ text }) => `${text}\n`).join(''),
    );
    const plans = page.filter(({ kind }) => kind === 'yaml').map(({ text }) => compile(text));
    expect(plans).toMatchObject(plans.map(() => ({ plan: expect.anything() })));
  });
});

test('docs/local.md has every setting of npm start, with its default', () => {
  const { port, host, data, brand } = readSettings({});
  const defaults = { PORT: port, HOST: host, WEFT_DATA: data, WEFT_BRAND: brand };
  const listed = [...sectionOf(read('docs/local.md'), 'Settings').matchAll(/^\| `(\w+)` \| (.+?) \|/gm)];
  const source = read('bin/server/settings.ts');
  const known = [...source.matchAll(/const \{ (.+) \} = environment/g)].flatMap(([, names = '']) => names.split(', '));
  expect(listed.map(([, name]) => name)).toEqual(known);
  for (const [name, value] of Object.entries(defaults)) {
    expect(listed.find(([, one]) => one === name)?.[2]).toBe(`\`${value}\``);
  }
});

describe('the promises of README.md', () => {
  test('include every route as served', async () => {
    const names = Object.keys(families).filter((name) => existsSync(join(root, `functions/http/${name}.ts`)));
    const files = await Promise.all(names.map((name) => import(join(root, `functions/http/${name}.ts`))));
    const built = files.flatMap(({ endpoints, streamSources = {} }) => Object.keys({ ...endpoints, ...streamSources }));
    expect(rows.map(([id]) => id).filter((id) => !built.includes(id))).toEqual([]);
    expect(readme.replace(/\s+/g, ' ')).toContain('Every route of `docs/api.md` is served.');
  });

  test.each(['README.md', 'docs/performance.md'])('in %s have the prices of the counts in bench/calls.json', (path) => {
    const calls = JSON.parse(read('bench/calls.json')) as Record<string, { readonly perMillion: number }>;
    const costOf = (name: string): string => `$${(calls[name]?.perMillion ?? 0).toFixed(2)}`;
    const priced = [...read(path).matchAll(/^\| `op.+\| (\$[\d.]+) \|$/gm)].map(([, cost]) => cost);
    expect(priced).toEqual([costOf('wait on 1 noop'), costOf('execute a noop'), costOf('execute a delay of 1 h')]);
  });

  test.each(['README.md', 'docs/performance.md'])(
    'in %s compare six shapes of work by the counts in bench/calls.json and the list prices',
    (path) => {
      const calls = JSON.parse(read('bench/calls.json')) as Record<string, { readonly perMillion: number }>;
      const weft = (...names: readonly string[]) =>
        names.reduce((sum, name) => sum + (calls[name]?.perMillion ?? 0), 0);
      const { requests, lambdas, transitions, readUnits, writeUnits } = PRICES;
      const machine = (states: number, functions: number) => requests + states * transitions + functions * lambdas;
      const durable = (operations: number, functions: number) => requests + operations * 8 + functions * lambdas;
      const event = requests + lambdas + readUnits + writeUnits;
      const expected = [
        [weft('execute a noop'), machine(1, 1), durable(1, 1)],
        [weft('execute a delay of 1 h'), machine(1, 0), durable(2, 2)],
        [
          weft('execute a wait for an event', 'an event that wakes a run'),
          machine(1, 1) + event,
          durable(2, 2) + event,
        ],
        [weft('execute an action on a subflow that waits'), machine(2, 0), durable(4, 4)],
        [weft('execute a foreach over 100 subflows that do not wait'), machine(201, 100), durable(102, 1)],
        [weft('execute a catch after a retry'), machine(2, 2), durable(2, 2)],
      ];
      const rows = [...read(path).matchAll(/^\| .+? \| (\$[\d.,]+) \| (\$[\d.,]+) \| (\$[\d.,]+) \|$/gm)];
      const shown = rows.map((row) => row.slice(1).map((price) => Number(price.replaceAll(/[$,]/g, ''))));
      expect(shown).toEqual(expected.map((prices) => prices.map((price) => Math.round(price * 100) / 100)));
    },
  );

  test.each(['README.md', 'docs/performance.md'])('in %s have the prices of waits in the table of runs', (path) => {
    const calls = JSON.parse(read('bench/calls.json')) as Record<string, { readonly perMillion: number }>;
    const costOf = (...names: readonly string[]): string =>
      `$${names.reduce((sum, name) => sum + (calls[name]?.perMillion ?? Number.NaN), 0).toFixed(2)}`;
    const text = read(path).replace(/\s+/g, ' ');
    const [hour, event] =
      /a run that waits an hour costs (\$[\d.]+).*? waits for an event (\$[\d.]+)/.exec(text)?.slice(1) ?? [];
    expect([hour, event]).toEqual([
      costOf('execute a delay of 1 h, waits: table'),
      costOf('a run with a wait for an event, waits: table'),
    ]);
  });

  test('include the number of examples, and name only existing scripts', () => {
    const count = globSync('examples/*/workflow.yaml', { cwd: root }).length;
    expect(readme.replace(/\s+/g, ' ')).toContain(`\`examples/\`](examples) has ${count} workflows`);
    const scripts = [...readme.matchAll(/npm run (?:-s )?([\w-]+)/g)].map(([, name = '']) => name);
    expect(scripts.filter((name) => !(name in manifest.scripts))).toEqual([]);
  });
});
