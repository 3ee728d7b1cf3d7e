import { createHash } from 'node:crypto';
import type { Blobs } from '../../ports/blobs.ts';
import { type Condition, ConflictError, type Table } from '../../ports/table.ts';
import { stillThere } from '../credentials/secrets.ts';
import { alreadyExists, notFound, ServiceError } from '../errors.ts';
import { isVariableName, needVariableName } from '../names.ts';
import type { Namespace } from '../namespaces/namespaces.ts';
import { readAll } from '../storage/items.ts';
import * as keys from '../storage/keys.ts';
import * as texts from '../storage/texts.ts';

type Needs = { readonly table: Table; readonly blobs: Blobs };

/** A script is as long as this, in bytes of UTF-8. */
export const LONGEST_SCRIPT = 128 * 1024;

/** In the words that clients know (rest-api reference, A.8). */
const absent = (name: string): ServiceError =>
  new ServiceError('not-found', `cloudEvent filter ${name.slice(0, 60).toWellFormed()} does not exist`);

/** The script of a request's body. Throws `malformed` for one that is empty or no text, `too-large`. */
export function needScript(name: string, body: Uint8Array): string {
  if (body.length > LONGEST_SCRIPT) {
    throw new ServiceError('too-large', `event filter '${name}': a script has at most ${LONGEST_SCRIPT} bytes`);
  }
  try {
    const script = new TextDecoder('utf-8', { fatal: true }).decode(body);
    if (script.trim() !== '') return script;
  } catch {
    throw new ServiceError(
      'malformed',
      `event filter '${name}': the script is not UTF-8 text; save it in that encoding`,
    );
  }
  throw new ServiceError('malformed', `event filter '${name}': send the body of a JavaScript function, it is empty`);
}

async function put({ table, blobs }: Needs, home: Namespace, name: string, script: string, when: Condition) {
  const { pk, sk } = keys.eventFilter(home.id, name);
  const hash = createHash('sha256').update(script).digest('hex');
  const stored = await texts.storeText(blobs, keys.blobOf('namespaces', home.id, 'event-filters', hash), script);
  await table.write([stillThere(home), { do: 'put', table: 'catalog', item: { pk, sk, script: stored }, when }]);
}

/** What a write says of a filter that is there already, or is not. */
const told =
  (mistake: () => ServiceError) =>
  (error: unknown): never => {
    if (!(error instanceof ConflictError)) throw error;
    throw error.failed.includes(0) ? notFound('namespace') : mistake();
  };

/** Keeps a new filter. Throws `exists`, `invalid` for a bad name. */
export async function create(needs: Needs, home: Namespace, name: string, script: string): Promise<void> {
  needVariableName(name);
  await put(needs, home, name, script, { absent: true }).catch(told(alreadyExists));
}

/** Gives a filter another script. Throws `not-found`. */
export async function update(needs: Needs, home: Namespace, name: string, script: string): Promise<void> {
  if (!isVariableName(name)) throw absent(name);
  await put(needs, home, name, script, { present: true }).catch(told(() => absent(name)));
}

/** The script of a filter. Throws `not-found`. */
export async function need({ table, blobs }: Needs, { id }: Namespace, name: string): Promise<string> {
  const [item] = isVariableName(name) ? await table.get([keys.eventFilter(id, name)]) : [];
  if (item === undefined) throw absent(name);
  return texts.readText(blobs, item['script']);
}

/** The names of the filters of a namespace, in order. */
export async function names({ table }: Pick<Needs, 'table'>, { id }: Namespace): Promise<string[]> {
  return (await readAll(table, keys.eventFilters(id), [])).map(({ sk }) => sk);
}

/** Throws `not-found`. */
export async function remove({ table }: Pick<Needs, 'table'>, { id }: Namespace, name: string): Promise<void> {
  if (!isVariableName(name)) throw absent(name);
  await table
    .write([{ do: 'delete', key: keys.eventFilter(id, name), when: { present: true } }])
    .catch((error: unknown) => {
      throw error instanceof ConflictError ? absent(name) : error;
    });
}
