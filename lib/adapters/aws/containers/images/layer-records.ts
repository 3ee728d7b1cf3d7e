import type { Key, Table } from '../../../../ports/table.ts';
import type { Architecture, Layer } from './manifests.ts';

/** The origin of a layer: its image and architecture, and the version of the recipe. */
export interface LayerOrigin {
  readonly image: string;
  readonly architecture: Architecture;
  readonly recipe: number;
}

/** In the catalog, beside the records of revisions. */
const keyOf = ({ image, architecture, recipe }: LayerOrigin): Key => ({
  table: 'catalog',
  pk: `container-layer#${image}`,
  sk: `${architecture}#${recipe}`,
});

/** The layer that was last made of this origin, without its bytes. */
export async function findLayer(table: Table, origin: LayerOrigin): Promise<Layer | undefined> {
  const [item] = await table.get([keyOf(origin)]);
  if (item === undefined) return undefined;
  const { digest, unpacked, size, about } = item;
  return { digest: String(digest), unpacked: String(unpacked), size: Number(size), about: String(about) };
}

/** Records the layer that was made of this origin, in place of an earlier one. */
export async function recordLayer(table: Table, origin: LayerOrigin, layer: Layer): Promise<void> {
  const { digest, unpacked, size, about } = layer;
  const { pk, sk } = keyOf(origin);
  await table.write([{ do: 'put', table: 'catalog', item: { pk, sk, digest, unpacked, size, about } }]);
}
