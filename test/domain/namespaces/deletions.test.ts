import { expect, test } from 'vitest';
import * as deletions from '../../../lib/domain/namespaces/deletions.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { createWorkflow, deleteNode } from '../../../lib/engine/changes/publishing.ts';
import { restoreNode } from '../../../lib/engine/changes/restoring.ts';
import { DAY_MS } from '../../../lib/time/units.ts';
import { MemoryPorts } from '../../engine/world/memory-ports.ts';

const SOURCE = 'states:\n- {id: a, type: noop}\n';
const PAGE = { below: '/', limit: 0, cursor: '' };

test('a deletion can be undone for 30 days, and is not listed later, although the item is still there', async () => {
  const memory = new MemoryPorts();
  const { ports } = memory;
  const { id } = await namespaces.create(ports, 'demo');
  for (const path of ['early', 'late']) {
    await createWorkflow(ports, { namespace: 'demo', path, source: SOURCE });
    await deleteNode(ports, 'demo', path, false);
    memory.now += DAY_MS;
  }
  memory.now += 28.5 * DAY_MS;
  expect((await deletions.list(ports, id, PAGE)).deleted.map(({ path }) => path)).toEqual(['/late']);
  await expect(restoreNode(ports, 'demo', 'early', '')).rejects.toThrow("nothing that was deleted at '/early'");
  expect(await restoreNode(ports, 'demo', 'late', '')).toEqual({ restored: ['/late'], failed: [] });
});
