import type { Clock } from '../../ports/clock.ts';
import { ConflictError, type Key, type Table } from '../../ports/table.ts';
import { invalidField, ServiceError } from '../errors.ts';
import * as keys from '../storage/keys.ts';
import * as nodes from './nodes.ts';

type Needs = { readonly table: Table; readonly clock: Clock };

const MOST = 100;
const LONGEST = 256;

function needLabels(labels: readonly string[]): void {
  if (labels.some((label) => label === '' || label.length > LONGEST)) {
    throw invalidField(`an attribute is a text of 1 to ${LONGEST} characters`);
  }
}

/** Where the labels of a node are kept, and what must be as it was read. */
function itemOf({ namespace, node }: nodes.Place): { key: Key; changed: string } {
  const isRoot = node.id === namespace.id;
  return isRoot
    ? { key: keys.namespace(namespace.name), changed: 'treeUpdated' }
    : { key: keys.node(node.directory, node.name), changed: 'updated' };
}

const TRIES = 5;

/** Adds labels to a node, or takes them away (rest-api reference, A.4). Throws `not-found`, `invalid`. */
export async function change(
  ports: Needs,
  { namespace, path }: { readonly namespace: string; readonly path: string },
  how: 'add' | 'remove',
  labels: readonly string[],
): Promise<void> {
  if (how === 'add') needLabels(labels);
  for (let tried = 0; tried < TRIES; tried += 1) {
    if (await changeOnce(ports, await nodes.need(ports, namespace, path), how, labels)) return;
  }
  throw new ServiceError('unavailable', `'${path}' was changed at this moment; try again`);
}

function changed(attributes: readonly string[], how: 'add' | 'remove', labels: readonly string[]): string[] {
  if (how === 'remove') return attributes.filter((label) => !labels.includes(label));
  return [...new Set([...attributes, ...labels])].sort();
}

/** False when somebody else changed the node meanwhile. */
async function changeOnce(
  ports: Needs,
  place: nodes.Place,
  how: 'add' | 'remove',
  labels: readonly string[],
): Promise<boolean> {
  const { id, attributes, updated } = place.node;
  const next = changed(attributes, how, labels);
  if (next.length > MOST) throw invalidField(`a node has at most ${MOST} attributes`);
  if (next.length === attributes.length) return true;
  const { key, changed: at } = itemOf(place);
  const set = { attributes: JSON.stringify(next), [at]: ports.clock.now() };
  try {
    await ports.table.write([{ do: 'update', key, set, when: { equals: { id, [at]: updated } } }]);
    return true;
  } catch (error) {
    if (error instanceof ConflictError) return false;
    throw error;
  }
}
