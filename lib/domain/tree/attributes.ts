import type { Ports } from '../../ports/ports.ts';
import type { Key } from '../../ports/table.ts';
import { changedMeanwhile, invalidField } from '../errors.ts';
import { retryOnConflict, throwOnConflict } from '../storage/conflicts.ts';
import * as keys from '../storage/keys.ts';
import * as nodes from './nodes.ts';

type Needs = Pick<Ports, 'table' | 'clock'>;

const MAX_LABELS = 100;
const MAX_LENGTH = 256;
const MAX_ATTEMPTS = 5;

function needLabels(labels: readonly string[]): void {
  if (labels.some((label) => label === '' || label.length > MAX_LENGTH)) {
    throw invalidField(`an attribute is a text of 1 to ${MAX_LENGTH} characters`);
  }
}

/** The item that stores the labels of a node, and its attribute with the time of the last change. */
function itemOf({ namespace, node }: nodes.ResolvedNode): { key: Key; changed: string } {
  const isRoot = node.id === namespace.id;
  return isRoot
    ? { key: keys.namespace(namespace.name), changed: 'treeUpdated' }
    : { key: keys.node(node.directory, node.name), changed: 'updated' };
}

/** Labels to add to a node, or to remove from it. */
interface Change {
  readonly how: 'add' | 'remove';
  readonly labels: readonly string[];
}

function changed(attributes: readonly string[], { how, labels }: Change): string[] {
  if (how === 'remove') return attributes.filter((label) => !labels.includes(label));
  return [...new Set([...attributes, ...labels])].sort();
}

/** Throws ConflictError when another change of the node came first. */
async function changeOnce(ports: Needs, found: nodes.ResolvedNode, change: Change): Promise<void> {
  const { id, attributes, updated } = found.node;
  const next = changed(attributes, change);
  if (next.length > MAX_LABELS) throw invalidField(`a node has at most ${MAX_LABELS} attributes`);
  if (next.length === attributes.length) return;
  const { key, changed: at } = itemOf(found);
  const set = { attributes: JSON.stringify(next), [at]: ports.clock.now() };
  await ports.table.write([{ do: 'update', key, set, when: { equals: { id, [at]: updated } } }]);
}

/** Adds labels to a node or removes them (rest-api reference, A.4). Throws `not-found`, `invalid`, `unavailable`. */
export async function change(
  ports: Needs,
  { namespace, path }: { readonly namespace: string; readonly path: string },
  how: Change['how'],
  labels: readonly string[],
): Promise<void> {
  if (how === 'add') needLabels(labels);
  const attempt = async () => changeOnce(ports, await nodes.need(ports, namespace, path), { how, labels });
  await throwOnConflict(retryOnConflict(attempt, MAX_ATTEMPTS), () => changedMeanwhile(`'${path}'`));
}
