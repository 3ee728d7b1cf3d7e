import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageVersion } from '../../../lib/adapters/portable/package.ts';
import { toJson } from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';
import type { Check } from './checks.ts';

/** Variables whose names say what they set; their values may be secret. */
const OURS = /^(?:WEFT_|PORT$|HOST$|APIKEY$|DYNAMODB_|CONTAINER_|OTEL_|HTTPS?_PROXY$|NO_PROXY$|NODE_OPTIONS$)/i;

async function filesOf(folder: string): Promise<readonly { readonly name: string; readonly bytes: number }[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return names.map((name, index) => ({ name, bytes: sizes[index] ?? 0 })).slice(0, 1000);
}

/**
 * Writes what helps with a question to others: the checks, the names of the set variables, and the names and sizes of the
 * files of the data folder. No value of a variable and no content of a file, so no secret.
 */
export async function writeBundle(
  file: string,
  { checks, folder }: { readonly checks: readonly Check[]; readonly folder: string },
  { env }: Pick<Terminal, 'env'>,
): Promise<void> {
  const { version, platform, arch } = process;
  const variables = Object.keys(env).filter((name) => OURS.test(name) && env[name] !== undefined);
  const bundle = {
    weft: packageVersion(),
    node: version,
    platform,
    arch,
    checks,
    variables,
    files: await filesOf(folder),
  };
  await writeFile(file, `${toJson(bundle)}\n`, { flag: 'wx' });
}
