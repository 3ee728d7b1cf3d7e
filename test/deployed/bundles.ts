import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

interface Resource {
  readonly Type: string;
}

const FOLDER = new URL('../../functions/', import.meta.url).pathname;

/** A line for each stack, how many resources it has. */
export async function countsOf(assembly: string): Promise<string[]> {
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

/** A line for each function: how large it is as it is deployed, but for the SDK of AWS. */
export async function sizesOf(): Promise<string[]> {
  const lines: string[] = [];
  for (const file of await readdir(FOLDER)) {
    const { outputFiles } = await build({
      entryPoints: [join(FOLDER, file)],
      bundle: true,
      platform: 'node',
      format: 'esm',
      mainFields: ['module', 'main'],
      minify: true,
      keepNames: true,
      external: ['@aws-sdk/*', '@smithy/*'],
      logLevel: 'error',
      write: false,
    });
    lines.push(`  ${file} ${Math.round((outputFiles[0]?.contents.length ?? 0) / 1000)} kB without the SDK`);
  }
  return lines;
}
