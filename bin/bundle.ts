/** Makes the modules of the published package: the command line, the CDK construct with its functions, the clients. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { workflowSchema } from '../lib/authoring/schema/schema.ts';
import { testSchema } from '../lib/authoring/schema/test-schema.ts';
import { bundleFunctions } from './functions/build.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const MODULE: BuildOptions = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  minifySyntax: true,
  minifyWhitespace: true,
  logLevel: 'warning',
};

/** Defines `require` for bundled CommonJS packages, because a module has none. */
const WITH_REQUIRE = {
  js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
};

/**
 * Writes the command line as weft.mjs to a folder, with modules beside it that only some commands load. Returns the bytes
 * that every command loads.
 */
export async function bundleCommandLine(folder: string): Promise<number> {
  const { metafile } = await build({
    ...MODULE,
    entryPoints: [here('weft.ts')],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'weft-[hash]',
    splitting: true,
    // Modules without their unused parts: the signer of AWS has 17 kB instead of 250.
    mainFields: ['module', 'main'],
    metafile: true,
    // The package does not contain the service.
    external: ['../../server/main.ts', '../../server/dev.ts', '../../server/backup.ts'],
    banner: WITH_REQUIRE,
  });
  return loadedBytes(metafile);
}

/** The bytes of the entry and of all modules that it imports at once. */
function loadedBytes({ outputs }: Metafile): number {
  const entry = Object.keys(outputs).find((path) => path.endsWith('/weft.mjs') || path === 'weft.mjs') ?? '';
  const loaded = new Set([entry]);
  for (const path of loaded) {
    for (const { path: next, kind } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement' && outputs[next] !== undefined) loaded.add(next);
    }
  }
  return [...loaded].reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0);
}

/** Writes the templates of `weft init` beside the modules. */
export async function copyTemplates(folder: string): Promise<void> {
  await cp(here('cli/init/templates'), join(folder, 'templates'), { recursive: true });
}

/** Writes the worker thread of the engine for tests beside the modules: that of the functions, which run from Node 22 on. */
export async function linkSandbox(folder: string): Promise<void> {
  await writeFile(join(folder, 'sandbox-worker.mjs'), "import './functions/copies/sandbox-worker.mjs';\n");
}

/** The declarations that the public types of the construct refer to. */
const DECLARED = ['weft.d.ts', join('data', 'data.d.ts'), join('settings', 'settings.d.ts')];

/** A module of the package whose types are public: its source, and the declarations that they refer to, below its folder. */
interface Declared {
  readonly source: string;
  readonly home: string;
  readonly files: readonly string[];
}

const CONSTRUCT: Declared = { source: '../cdk/weft.ts', home: 'cdk', files: DECLARED };
const CLIENT: Declared = {
  source: '../clients/api/index.ts',
  home: 'clients/api',
  files: ['index.d.ts', 'client.d.ts', 'operations.d.ts'],
};

const WORKER: Declared = { source: '../clients/worker.ts', home: 'clients', files: ['worker.d.ts'] };

/** Writes the type declarations of a module to a folder. */
async function declare({ source, home, files }: Declared, folder: string): Promise<void> {
  const temporary = await mkdtemp(join(tmpdir(), 'weft-declarations-'));
  const config = join(temporary, 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: here('..'),
    outDir: temporary,
    typeRoots: [here('../node_modules/@types')],
  };
  const settings = { extends: here('../tsconfig.json'), compilerOptions, include: [here(source)] };
  await writeFile(config, JSON.stringify(settings));
  await promisify(execFile)(process.execPath, [here('../node_modules/typescript/bin/tsc'), '-p', config]);
  for (const file of files) {
    const text = await readFile(join(temporary, home, file), 'utf8');
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text.replace(/(from '\.{1,2}\/[\w/-]+)\.ts'/g, "$1.js'"));
  }
  await rm(temporary, { recursive: true });
}

/** Writes the construct without its functions to dist/cdk. CDK is a peer dependency of the package. */
export async function bundleConstruct(dist: string): Promise<void> {
  const folder = join(dist, 'cdk');
  await build({
    ...MODULE,
    entryPoints: [here('../cdk/weft.ts')],
    outfile: join(folder, 'index.mjs'),
    external: ['aws-cdk-lib', 'constructs'],
  });
  const { name, version } = JSON.parse(await readFile(here('../package.json'), 'utf8')) as Record<string, string>;
  await writeFile(join(dist, 'package.json'), JSON.stringify({ name, version, type: 'module' }));
  await declare(CONSTRUCT, folder);
}

/** Writes the client of the API to dist/client. It has no dependency, and runs in browsers too. */
export async function bundleClient(dist: string): Promise<void> {
  const folder = join(dist, 'client');
  await build({
    ...MODULE,
    platform: 'neutral',
    entryPoints: [here('../clients/api/index.ts')],
    outfile: join(folder, 'index.mjs'),
  });
  await declare(CLIENT, folder);
}

/** Writes the client of workers as worker.mjs, with its type declarations, to a folder. It has no dependencies. */
async function bundleWorkerClient(dist: string): Promise<void> {
  await build({ ...MODULE, entryPoints: [here('../clients/worker.ts')], outfile: join(dist, 'worker.mjs') });
  await declare(WORKER, dist);
}

/** Writes everything that the package contains beside its manifest and texts to a folder `dist`, which must not exist. */
async function buildPackage(dist: string): Promise<void> {
  await mkdir(dist, { recursive: true });
  await writeFile(join(dist, 'workflow.schema.json'), JSON.stringify(workflowSchema()));
  await writeFile(join(dist, 'test.schema.json'), JSON.stringify(testSchema()));
  const parts = [
    bundleCommandLine,
    copyTemplates,
    linkSandbox,
    bundleConstruct,
    bundleClient,
    bundleWorkerClient,
    (folder: string) => bundleFunctions(join(folder, 'functions')),
  ];
  await Promise.all(parts.map((bundle) => bundle(dist)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , dist] = process.argv;
  if (dist === undefined) throw new Error('name the folder to write');
  await buildPackage(dist);
}
