import { expect, test } from 'vitest';
import * as purging from '../../../lib/domain/purging/purging.ts';
import { derivedId } from '../../../lib/domain/storage/ids.ts';
import * as keys from '../../../lib/domain/storage/keys.ts';
import { MemoryPorts } from '../../engine/world/memory-ports.ts';

test('with a namespace the cursors of the reconciler go, of every kind', async () => {
  const memory = new MemoryPorts();
  const { ports } = memory;
  const kinds = ['runs', 'events', 'tasks'] as const;
  const [gone, kept] = [derivedId(memory.now, 'gone'), derivedId(memory.now, 'kept')];
  const cursorsOf = (id: string) => kinds.map((kind) => keys.openCursor(id, kind));
  const all = [...cursorsOf(gone), ...cursorsOf(kept)];
  await ports.table.write(
    all.map(({ pk, sk }) => ({ do: 'put', table: 'journal', item: { pk, sk, from: memory.now } })),
  );
  await purging.finish(ports, { marker: 'm', kind: 'namespace', id: gone, namespaceId: gone });
  const left = await ports.table.get(all);
  expect(left.map((item) => item !== undefined)).toEqual([false, false, false, true, true, true]);
});
