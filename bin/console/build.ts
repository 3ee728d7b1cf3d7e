/** `npm run build:web`: builds the console of web/ into dist/console, or into the folder that is given. */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import { CONSOLE_FOLDER, ROOT } from './folder.ts';

/** The files of the page itself: all others load when they are needed. */
const ENTRIES = {
  main: 'web/app/main.tsx',
  theme: 'web/app/theme.ts',
  style: 'web/style/index.css',
  icon: 'web/app/icon.svg',
};

/** The file of each entry. */
export type Entries = Readonly<Record<keyof typeof ENTRIES, string>>;

type Outputs = Metafile['outputs'];

/** Bundles the files of a page for browsers into the folder `assets` of a folder. Throws what esbuild throws. */
export async function bundlePage(folder: string, entries: Entries): Promise<Outputs> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: Object.entries(entries).map(([out, file]) => ({ in: file, out })),
    outdir: join(folder, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: 'part-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome123', 'firefox121', 'safari17.5'],
    minify: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfig: 'web/tsconfig.json',
    loader: { '.yaml': 'text', '.svg': 'copy' },
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  return metafile.outputs;
}

/** The file that was made of an entry. Throws Error if there is none. */
export function outputOf(outputs: Outputs, entry: string): string {
  const found = Object.keys(outputs).find((name) => outputs[name]?.entryPoint === entry);
  if (found === undefined) throw new Error(`esbuild made nothing of ${entry}`);
  return found;
}

/** The files that are loaded with a file, itself included. */
function loadedWith(outputs: Outputs, file: string, known = new Set<string>()): ReadonlySet<string> {
  if (known.has(file)) return known;
  known.add(file);
  for (const { path, kind } of outputs[file]?.imports ?? []) {
    if (kind === 'import-statement') loadedWith(outputs, path, known);
  }
  return known;
}

async function writePage(folder: string, outputs: Outputs, entries: Entries): Promise<void> {
  const nameOf = (entry: string): string => `assets/${basename(outputOf(outputs, entry))}`;
  const main = outputOf(outputs, entries.main);
  const chunks = [...loadedWith(outputs, main)].filter((file) => file !== main);
  const preloads = chunks.map((file) => `<link rel="modulepreload" href="assets/${basename(file)}">`);
  const template = await readFile(join(ROOT, 'web', 'app', 'index.html'), 'utf8');
  const values: Readonly<Record<string, string>> = {
    icon: nameOf(entries.icon),
    theme: nameOf(entries.theme),
    style: nameOf(entries.style),
    main: nameOf(entries.main),
    preloads: preloads.join('\n'),
  };
  const page = template.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole);
  await writeFile(join(folder, 'index.html'), page);
}

/** Writes a `.br` and a `.gz` beside each file. */
async function compress(folder: string): Promise<void> {
  const assets = join(folder, 'assets');
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  for (const name of await readdir(assets)) {
    const file = join(assets, name);
    const bytes = await readFile(file);
    const [br, gz] = await Promise.all([
      promisify(brotliCompress)(bytes, { params }),
      promisify(gzip)(bytes, { level: 9 }),
    ]);
    await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)]);
  }
}

/** Sizes in bytes after gzip. */
export interface ConsoleSizes {
  /** The files of the first load of any page. */
  readonly first: Readonly<Record<string, number>>;
  /** The files that are loaded on demand: the editor, the diagram, charts. */
  readonly later: Readonly<Record<string, number>>;
}

async function sizesOf(folder: string, outputs: Outputs, entries: Entries): Promise<ConsoleSizes> {
  const sizeOf = async (file: string) =>
    (await promisify(gzip)(await readFile(resolve(ROOT, file)), { level: 9 })).length;
  const page = join(folder, 'index.html');
  const nameOf = (file: string): string => `${basename(file)} ${outputs[file]?.entryPoint ?? ''}`.trim();
  const sizes = async (files: readonly string[]) =>
    Object.fromEntries(await Promise.all(files.map(async (file) => [nameOf(file), await sizeOf(file)] as const)));
  const first = new Set(Object.values(entries).flatMap((entry) => [...loadedWith(outputs, outputOf(outputs, entry))]));
  const later = Object.keys(outputs).filter((file) => !first.has(file));
  return { first: await sizes([page, ...first]), later: await sizes(later) };
}

/** How the console is built. */
export interface BuildOptions {
  /** Stores files compressed too, as a deployment serves them. */
  readonly compressed?: boolean;
  /** Other files than those of the console: another page with the same styles. */
  readonly entries?: Partial<Entries>;
}

/** Builds the console into a folder, which it empties before. Throws what esbuild throws. */
export async function buildConsole(folder = CONSOLE_FOLDER, options: BuildOptions = {}): Promise<ConsoleSizes> {
  const entries = { ...ENTRIES, ...options.entries };
  // Two processes may build at the same time; a reader sees a whole build.
  const draft = `${folder}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  try {
    const outputs = await bundlePage(draft, entries);
    await writePage(draft, outputs, entries);
    if (options.compressed) await compress(draft);
    const sizes = await sizesOf(draft, outputs, entries);
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
    return sizes;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder = CONSOLE_FOLDER] = process.argv.slice(2);
  const sizes = await buildConsole(folder, { compressed: folder !== CONSOLE_FOLDER });
  const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;
  const whole = Object.values(sizes.first).reduce((sum, size) => sum + size, 0);
  console.log(`${folder}: the first load is ${kilobytes(whole)} (gzip)`);
  for (const [kind, files] of Object.entries(sizes)) {
    const sorted = Object.entries(files as ConsoleSizes['first']).sort(([, a], [, b]) => b - a);
    for (const [name, size] of sorted) console.log(`  ${kind} ${name}: ${kilobytes(size)}`);
  }
}
