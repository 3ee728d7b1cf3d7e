import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const { dirname } = import.meta;

const VERSION = '4.26.0';

/** The Python package whose source has the official test suite of JSON Schema (MIT), and the folder for the suite. */
export const JSON_SCHEMA_SUITE = {
  name: 'jsonschema',
  version: VERSION,
  sha256: '0c26707e2efad8aa1bfc5b7ce170f3fccc2e4918ff85989ba9ffa9facb2be326',
  folder: join(dirname, '..', '..', '..', '..', 'node_modules', '.cache', `json-schema-suite-${VERSION}`),
};

/** The folder of the suite; undefined if `npm test` could not fetch it. */
export function jsonSchemaSuite(): string | undefined {
  return existsSync(JSON_SCHEMA_SUITE.folder) ? JSON_SCHEMA_SUITE.folder : undefined;
}

/** One case of the suite: whether a value is valid. */
export interface Case {
  /** The file, such as `draft7/optional/bignum.json`, then the two descriptions. */
  readonly name: string;
  readonly schema: unknown;
  readonly value: unknown;
  readonly isValid: boolean;
}

interface Group {
  readonly description: string;
  readonly schema: unknown;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

/** The cases of a draft, such as `draft7`, optional ones too, in the order of their files. */
export function casesOf(folder: string, draft: string): Case[] {
  const root = join(folder, 'tests');
  const files = readdirSync(join(root, draft), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.json'),
  );
  return files.sort().flatMap((file) => {
    const groups = JSON.parse(readFileSync(join(root, draft, file), 'utf8')) as Group[];
    return groups.flatMap(({ description, schema, tests }) =>
      tests.map((test) => ({
        name: `${draft}/${file.replaceAll('\\', '/')}: ${description}: ${test.description}`,
        schema,
        value: test.data,
        isValid: test.valid,
      })),
    );
  });
}
