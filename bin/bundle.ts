/** `npm pack`: makes dist, which holds the command line as one file, and the construct of CDK with its functions. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type BuildOptions, build } from 'esbuild';

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

/** Writes the command line as one file of JavaScript, and answers its size in bytes. */
export async function bundleCommandLine(file: string): Promise<number> {
  const { metafile } = await build({
    ...MODULE,
    entryPoints: [here('weft.ts')],
    outfile: file,
    metafile: true,
    // The service is not a part of it.
    external: ['../../server/main.ts'],
    banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
  });
  return Object.values(metafile?.outputs ?? {})[0]?.bytes ?? 0;
}

/** What the construct's declarations are made of: its own properties and what they name. */
const DECLARED = ['weft.d.ts', join('data', 'data.d.ts'), join('settings', 'settings.d.ts')];

/** Writes the declarations of the construct, for whoever writes TypeScript, into a folder. */
async function declareConstruct(folder: string): Promise<void> {
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
  const settings = { extends: here('../tsconfig.json'), compilerOptions, include: [here('../cdk/weft.ts')] };
  await writeFile(config, JSON.stringify(settings));
  await promisify(execFile)(process.execPath, [here('../node_modules/typescript/bin/tsc'), '-p', config]);
  for (const file of DECLARED) {
    const text = await readFile(join(temporary, 'cdk', file), 'utf8');
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text.replace(/(from '\.{1,2}\/[\w/-]+)\.ts'/g, "$1.js'"));
  }
  await rm(temporary, { recursive: true });
}

/** Writes the construct, without the functions that it deploys, into dist/cdk; whoever uses it has CDK itself. */
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
  await declareConstruct(folder);
}

/** Writes every function as it is deployed into dist/functions. */
async function bundleAllFunctions(dist: string): Promise<void> {
  // CDK is large, and the command line does without it.
  const { bundleFunctions } = await import('../cdk/bundles.ts');
  const temporary = await mkdtemp(join(tmpdir(), 'weft-bundles-'));
  for (const [file, folder] of bundleFunctions(temporary)) {
    await cp(folder, join(dist, 'functions', file), { recursive: true });
  }
  await rm(temporary, { recursive: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const dist = here('../dist');
  await rm(dist, { recursive: true, force: true });
  await mkdir(dist);
  await bundleCommandLine(join(dist, 'weft.mjs'));
  await bundleConstruct(dist);
  await bundleAllFunctions(dist);
}
