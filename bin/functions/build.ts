/** `node bin/functions/build.ts FOLDER`: bundles the functions of Lambda. */
import { copyFileSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { CONSOLE, COPIES, type CopiedFile, LICENSE, NOTICES } from '../../cdk/functions/extra-files.ts';
import { buildConsole } from '../console/build.ts';
import { notices } from '../licenses/notices.ts';
import { ROOT } from '../licenses/packages.ts';
import { ALIASES } from './aliases.ts';

/** Defines `require` for bundled CommonJS packages, because a module has none. */
const WITH_REQUIRE: BuildOptions = {
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
};

const MODULE: BuildOptions = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  logLevel: 'warning',
};

/** The files that lie beside functions: the source of each, and its own options. */
const COPIED: Readonly<Record<CopiedFile, { readonly entry: string; readonly options: BuildOptions }>> = {
  'sandbox-worker.mjs': {
    entry: 'lib/language/sandbox/worker.ts',
    options: { ...WITH_REQUIRE, loader: { '.wasm': 'binary' } },
  },
  'smtp.mjs': { entry: 'lib/egress/smtp.ts', options: WITH_REQUIRE },
  'aws-secrets.mjs': {
    entry: 'lib/adapters/portable/secrets/aws-client.ts',
    options: { ...WITH_REQUIRE, mainFields: ['module', 'main'], minify: true, keepNames: true },
  },
  'tokens.mjs': {
    entry: 'lib/adapters/portable/tokens/bundled.ts',
    options: { minify: true, keepNames: true },
  },
  're2.cjs': { entry: 're2js', options: { format: 'cjs', minify: true, keepNames: true } },
  'beside.mjs': { entry: 'lib/containers/sidecar/lambda/main.ts', options: {} },
};

/** Bundles a file that lies beside functions. It is deterministic: the same sources give the same bytes. */
export async function bundleCopiedFile(name: CopiedFile, folder: string): Promise<void> {
  const { entry, options } = COPIED[name];
  const file = { entryPoints: [entry], outfile: join(folder, name), minifyWhitespace: true, minifySyntax: true };
  await build({ ...MODULE, ...file, ...options });
}

/** The paths of the functions below functions/, without the extension. */
const functionPaths = (): string[] =>
  globSync('functions/{deploy,lambdas,triggers}/*.ts', { cwd: ROOT }).map((file) =>
    file.replace(/^functions\/(.*)\.ts$/, '$1'),
  );

/** The files of a bundle that its entry imports, at once or later, itself or through others. */
function reachable(outputs: Metafile['outputs']): Set<string> {
  const found = new Set(Object.keys(outputs).filter((path) => outputs[path]?.entryPoint?.startsWith('functions/')));
  // A set yields also what is added to it meanwhile.
  for (const path of found) for (const { path: next } of outputs[path]?.imports ?? []) found.add(next);
  return found;
}

/**
 * Bundles a function: `index.mjs`, and files beside it for modules that are imported when they are first needed. All lie in
 * one folder, because code names the files of `COPIED` from its own place. esbuild makes files of imports in omitted code
 * too, which are not written. The bundles contain the AWS SDK, so that the tested version runs. Names are kept, because
 * errors are matched by name.
 */
async function bundleModule(path: string, folder: string): Promise<void> {
  const to = join(folder, path);
  const { outputFiles, metafile } = await build({
    ...MODULE,
    ...WITH_REQUIRE,
    entryPoints: [{ in: `functions/${path}.ts`, out: 'index' }],
    outdir: to,
    outExtension: { '.js': '.mjs' },
    splitting: true,
    chunkNames: 'part-[name]-[hash]',
    mainFields: ['module', 'main'],
    minify: true,
    keepNames: true,
    alias: ALIASES,
    metafile: true,
    write: false,
  });
  const wanted = new Set(Array.from(reachable(metafile.outputs), (file) => resolve(ROOT, file)));
  mkdirSync(to, { recursive: true });
  for (const file of outputFiles) if (wanted.has(file.path)) writeFileSync(file.path, file.contents);
}

/**
 * Bundles every function of the checkout: `KIND/FILE/index.mjs` for each, the console's folder beside its function, and
 * the files that lie beside several functions once, in a folder of their own. Throws what esbuild throws.
 */
export async function bundleFunctions(folder: string): Promise<void> {
  const copies = join(folder, COPIES);
  mkdirSync(copies, { recursive: true });
  copyFileSync(join(ROOT, LICENSE), join(copies, LICENSE));
  writeFileSync(join(copies, NOTICES), notices());
  await Promise.all([
    ...functionPaths().map((path) => bundleModule(path, folder)),
    buildConsole(join(folder, 'lambdas', 'console', CONSOLE), { compressed: true }),
    ...(Object.keys(COPIED) as CopiedFile[]).map((name) => bundleCopiedFile(name, copies)),
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder] = process.argv;
  if (folder === undefined) throw new Error('name the folder to write');
  await bundleFunctions(folder);
}
