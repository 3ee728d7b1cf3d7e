import type { Key, Table } from '../../../ports/table.ts';
import type { Architecture, Layer } from './wrapping.ts';

/** What a layer was made of, and how. */
export interface Origin {
  readonly image: string;
  readonly architecture: Architecture;
  readonly recipe: number;
}

/** Beside the revisions of containers. */
const keyOf = ({ image, architecture, recipe }: Origin): Key => ({
  table: 'catalog',
  pk: `container-layer#${image}`,
  sk: `${architecture}#${recipe}`,
});

/** The layer that was made of it last, wherever it is stored. */
export async function findLayer(table: Table, origin: Origin): Promise<Layer | undefined> {
  const [item] = await table.get([keyOf(origin)]);
  if (item === undefined) return undefined;
  const { digest, unpacked, size, about } = item;
  return { digest: String(digest), unpacked: String(unpacked), size: Number(size), about: String(about) };
}

export async function keepLayer(table: Table, origin: Origin, { digest, unpacked, size, about }: Layer): Promise<void> {
  const { pk, sk } = keyOf(origin);
  await table.write([{ do: 'put', table: 'catalog', item: { pk, sk, digest, unpacked, size, about } }]);
}
