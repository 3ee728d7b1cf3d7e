/** `node bin/functions/build.ts FOLDER`: bundles the functions of Lambda. */
import { copyFileSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
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

/**
 * One build for all functions reads each module once. The bundles contain the AWS SDK, so that the tested version runs.
 * Names are kept, because errors are matched by name.
 */
async function bundleModules(folder: string): Promise<void> {
  await build({
    ...MODULE,
    ...WITH_REQUIRE,
    entryPoints: functionPaths().map((path) => ({ in: `functions/${path}.ts`, out: `${path}/index` })),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    mainFields: ['module', 'main'],
    minify: true,
    keepNames: true,
    alias: ALIASES,
  });
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
    bundleModules(folder),
    buildConsole(join(folder, 'lambdas', 'console', CONSOLE), { compressed: true }),
    ...(Object.keys(COPIED) as CopiedFile[]).map((name) => bundleCopiedFile(name, copies)),
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder] = process.argv;
  if (folder === undefined) throw new Error('name the folder to write');
  await bundleFunctions(folder);
}
