import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSettings } from '../../../bin/server/settings.ts';
import { families } from '../../../lib/api/registry/families.ts';
import { rows } from '../../../lib/api/registry/routes/index.ts';
import { type ServiceProcess, startProcess } from '../access/process.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };

/** The text below a heading, up to the next. */
function sectionOf(heading: string): string {
  const section = readme.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`README.md has no section '${heading}'`);
  return section;
}

interface Block {
  readonly kind: string;
  readonly text: string;
}

function blocksOf(heading: string): Block[] {
  const fences = sectionOf(heading).matchAll(/^```(\w+)\n(.*?)\n```$/gms);
  return [...fences].map(([, kind = '', text = '']) => ({ kind, text }));
}

const blocks = blocksOf('Sixty seconds to a result');
const [start, greeting, commands = '', output] = blocks.map(({ text }) => text);

let folder: string;
let service: ServiceProcess;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-readme-'));
  service = await startProcess(folder);
});

afterAll(async () => {
  await service.end('SIGTERM');
  await rm(folder, { recursive: true });
});

/** A text of the README with this service's place and key in it. */
const here = (text = ''): string =>
  text.replaceAll('http://127.0.0.1:8080', service.client.url).replaceAll('paste-me', service.client.key);

const run = (script: string) => promisify(execFile)('bash', ['-e', '-c', here(script)], { cwd: root });

describe('the sixty seconds of README.md', () => {
  test('are a start, what it prints, commands, and what they print', () => {
    expect(blocks.map(({ kind }) => kind)).toEqual(['sh', 'text', 'sh', 'text']);
    expect(start).toBe('npm start');
    expect(manifest.scripts['start']).toContain('bin/local.ts');
    expect(readSettings({}).port).toBe(8080);
  });

  test('begin with what the service prints', () => {
    expect(service.greeting.join('\n')).toBe(here(greeting));
  });

  test('end with what the commands print, byte for byte', async () => {
    expect(await run(commands)).toEqual({ stdout: output, stderr: '' });
  });
});

describe('the events of README.md', () => {
  test('begin in the terminal of the sixty seconds, and end with what the commands print', async () => {
    const [{ text: terms }, { text: printed }] = blocksOf('Events and schedules') as [Block, Block];
    const assignments = commands.split('\n').filter((line) => /^[A-Z]+=/.test(line));
    expect(await run([...assignments, terms].join('\n'))).toEqual({ stdout: printed, stderr: '' });
  });
});

describe('the promises of README.md', () => {
  test('name every setting of npm start, with its default', () => {
    const { port, host, data, brand } = readSettings({});
    const defaults = { PORT: port, HOST: host, WEFT_DATA: data, WEFT_BRAND: brand };
    const told = [...sectionOf('Settings of `npm start`').matchAll(/^\| `(\w+)` \| (.+?) \|/gm)];
    const source = readFileSync(join(root, 'bin/server/settings.ts'), 'utf8');
    const known = [...source.matchAll(/const \{ (.+) \} = environment/g)].flatMap(([, names = '']) =>
      names.split(', '),
    );
    expect(told.map(([, name]) => name)).toEqual(known);
    for (const [name, value] of Object.entries(defaults)) {
      expect(told.find(([, told]) => told === name)?.[2]).toBe(`\`${value}\``);
    }
  });

  test('may say that every route is served', async () => {
    const names = Object.keys(families).filter((name) => existsSync(join(root, `functions/http/${name}.ts`)));
    const files = await Promise.all(names.map((name) => import(join(root, `functions/http/${name}.ts`))));
    const built = files.flatMap(({ endpoints, streamSources = {} }) => Object.keys({ ...endpoints, ...streamSources }));
    expect(rows.map(([id]) => id).filter((id) => !built.includes(id))).toEqual([]);
    expect(readme).toContain('Every route of `docs/api.md` is served.');
  });

  test('price what bench/calls.json counts', () => {
    const text = readFileSync(join(root, 'bench/calls.json'), 'utf8');
    const calls = JSON.parse(text) as Record<string, { readonly perMillion: number }>;
    const costOf = (name: string): string => `$${(calls[name]?.perMillion ?? 0).toFixed(2)}`;
    const told = [...sectionOf('What it costs on AWS').matchAll(/^\| `op.+\| (\$[\d.]+) \|$/gm)].map(
      ([, cost]) => cost,
    );
    expect(told).toEqual([costOf('wait on 1 noop'), costOf('execute a noop'), costOf('execute a delay')]);
  });

  test('count the examples and name only files and scripts that are there', () => {
    const count = readdirSync(join(root, 'examples')).length;
    expect(readme).toContain(`\`examples/\`](examples) has ${count} workflows`);
    const links = [...readme.matchAll(/\]\(([^#)]+)\)/g)].map(([, path = '']) => path);
    expect(links.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const scripts = [...readme.matchAll(/npm run ([\w-]+)/g)].map(([, name = '']) => name);
    expect(scripts.filter((name) => !(name in manifest.scripts))).toEqual([]);
  });
});
