import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ALIASES } from '../../bin/functions/aliases.ts';

interface Resource {
  readonly Type: string;
}

const FOLDER = new URL('../../functions/', import.meta.url).pathname;

/** A line for each stack, with the number of its resources. */
export async function resourceCounts(assembly: string): Promise<string[]> {
  const files = (await readdir(assembly)).filter((file) => file.endsWith('.template.json'));
  return Promise.all(
    files.map(async (file) => {
      const { Resources } = JSON.parse(await readFile(join(assembly, file), 'utf8')) as {
        readonly Resources: Readonly<Record<string, Resource>>;
      };
      const resources = Object.values(Resources);
      const functions = resources.filter(({ Type }) => Type === 'AWS::Lambda::Function').length;
      return `${file}: ${resources.length} resources, ${functions} functions`;
    }),
  );
}

/** The size of a function's bundle, bytes. */
export interface BundleSize {
  readonly file: string;
  readonly all: number;
  /** Without the engine, its languages and requests, their linter and their libraries. */
  readonly rest: number;
}

const ENGINE =
  /(^|\/)lib\/(engine|compiler|egress|language|lint)\/|node_modules\/(mustache|re2js|ajv|ajv-formats|ajv-draft-04|fast-uri|js-yaml|jq-wasm|quickjs)/;

/** The size of each function's bundle without the SDK of AWS. */
export async function bundleSizes(): Promise<BundleSize[]> {
  const files = (await readdir(FOLDER, { recursive: true })).filter((file) => /^\w+\/[\w-]+\.ts$/.test(file));
  const { metafile } = await build({
    absWorkingDir: FOLDER,
    entryPoints: files,
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    minify: true,
    keepNames: true,
    alias: ALIASES,
    external: ['@aws-sdk/*', '@smithy/*'],
    logLevel: 'error',
    outdir: 'unwritten',
    write: false,
    metafile: true,
  });
  return Object.values(metafile.outputs).flatMap(({ entryPoint, bytes, inputs }) => {
    if (entryPoint === undefined) return [];
    const parts = Object.entries(inputs).filter(([path]) => ENGINE.test(path));
    const engine = parts.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0);
    return [{ file: entryPoint, all: bytes, rest: bytes - engine }];
  });
}

const kB = (bytes: number): string => `${Math.round(bytes / 1000)} kB`;

/** A size as a line of text. */
export function sizeLine({ file, all, rest }: BundleSize): string {
  return `  ${file} ${kB(all)} without the SDK${all === rest ? '' : `, ${kB(rest)} without the engine and its languages`}`;
}
