import { readFileSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Resource {
  readonly Type: string;
}

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

/** The imports of a file in a minified bundle that are loaded with it. */
const IMPORTS = /(?:\bfrom|\bimport)"\.\/([^"]+)"/g;

/** The files in the folder of a bundle that a function loads when it starts. */
export function loadedFiles(folder: string): string[] {
  const found = new Set(['index.mjs']);
  // A set yields also what is added to it meanwhile.
  for (const file of found) {
    for (const [, name = ''] of readFileSync(join(folder, file), 'utf8').matchAll(IMPORTS)) found.add(name);
  }
  return [...found];
}

/** The size of the files that a function loads when it starts, bytes. */
export const loadedSize = (folder: string): number =>
  loadedFiles(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
