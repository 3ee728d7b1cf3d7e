import type { Ports } from '../../ports/ports.ts';
import type { Condition, ConflictError, Write } from '../../ports/table.ts';
import { alreadyExists, notFound, ServiceError } from '../errors.ts';
import { isVariableName, needVariableName } from '../names.ts';
import { existenceCheck, type Namespace } from '../namespaces/namespaces.ts';
import { putAt } from '../storage/batches.ts';
import { throwOnConflict } from '../storage/conflicts.ts';
import { sha256 } from '../storage/ids.ts';
import * as keys from '../storage/keys.ts';
import { readAll } from '../storage/queries.ts';
import * as texts from '../storage/texts.ts';

type Needs = Pick<Ports, 'table' | 'blobs'>;

/** The maximum size of a script, bytes of UTF-8. */
export const MAX_SCRIPT_BYTES = 128 * 1024;

/** Clients know this text (rest-api reference, A.8). */
const absent = (name: string): ServiceError =>
  new ServiceError('not-found', `cloudEvent filter ${name.slice(0, 60).toWellFormed()} does not exist`);

/** Returns the script in the body of a request. Throws `malformed` for an empty body or malformed text, `too-large`. */
export function needScript(name: string, body: Uint8Array): string {
  if (body.length > MAX_SCRIPT_BYTES) {
    throw new ServiceError('too-large', `event filter '${name}': a script has at most ${MAX_SCRIPT_BYTES} bytes`);
  }
  try {
    const script = new TextDecoder('utf-8', { fatal: true }).decode(body);
    if (script.trim() !== '') return script;
  } catch {
    const text = `event filter '${name}': the script is not UTF-8 text; save it in that encoding`;
    throw new ServiceError('malformed', text);
  }
  throw new ServiceError('malformed', `event filter '${name}': send the body of a JavaScript function, it is empty`);
}

/** Stores a filter on a condition. Throws the error of `mistake` when it does not hold. */
async function put(
  { table, blobs }: Needs,
  home: Namespace,
  { name, script }: { readonly name: string; readonly script: string },
  { when, mistake }: { readonly when: Condition; readonly mistake: () => ServiceError },
): Promise<void> {
  const stored = await texts.storeText(
    blobs,
    keys.blobOf('namespaces', home.id, 'event-filters', sha256(script)),
    script,
  );
  const write = putAt(keys.eventFilter(home.id, name), { script: stored }, when);
  await throwOnConflict(table.write([existenceCheck(home), write]), ({ failed }: ConflictError) =>
    failed.includes(0) ? notFound('namespace') : mistake(),
  );
}

/** Creates a filter. Throws `exists`, `invalid` for an invalid name, `not-found` for the namespace. */
export async function create(needs: Needs, home: Namespace, name: string, script: string): Promise<void> {
  needVariableName(name);
  await put(needs, home, { name, script }, { when: { absent: true }, mistake: alreadyExists });
}

/** Changes the script of a filter. Throws `not-found`. */
export async function update(needs: Needs, home: Namespace, name: string, script: string): Promise<void> {
  if (!isVariableName(name)) throw absent(name);
  await put(needs, home, { name, script }, { when: { present: true }, mistake: () => absent(name) });
}

/** Returns the script of a filter. Throws `not-found`. */
export async function need({ table, blobs }: Needs, { id }: Namespace, name: string): Promise<string> {
  const [item] = isVariableName(name) ? await table.get([keys.eventFilter(id, name)]) : [];
  if (item === undefined) throw absent(name);
  return texts.readText(blobs, item['script']);
}

/** Returns the sorted names of the filters of a namespace. */
export async function names({ table }: Pick<Needs, 'table'>, { id }: Namespace): Promise<string[]> {
  return (await readAll(table, { ...keys.eventFilters(id), only: [] })).map(({ sk }) => sk);
}

/** Deletes a filter. Throws `not-found`. */
export async function remove({ table }: Pick<Needs, 'table'>, { id }: Namespace, name: string): Promise<void> {
  if (!isVariableName(name)) throw absent(name);
  const deletion: Write = { do: 'delete', key: keys.eventFilter(id, name), when: { present: true } };
  await throwOnConflict(table.write([deletion]), () => absent(name));
}
