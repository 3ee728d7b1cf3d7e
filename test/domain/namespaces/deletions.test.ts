import { expect, test } from 'vitest';
import * as deletions from '../../../lib/domain/namespaces/deletions.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { finish } from '../../../lib/domain/purging/purging.ts';
import * as keys from '../../../lib/domain/storage/keys.ts';
import * as tree from '../../../lib/domain/tree/tree.ts';
import { createDirectory, createWorkflow, deleteNode } from '../../../lib/engine/changes/publishing.ts';
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
  await expect(restoreNode(ports, 'demo', { place: 'early', ref: '', after: '' })).rejects.toThrow(
    "nothing that was deleted at '/early'",
  );
  expect(await restoreNode(ports, 'demo', { place: 'late', ref: '', after: '' })).toEqual({
    restored: ['/late'],
    failed: [],
  });
});

test('a directory is not restored before all of it is deleted: it would come back in part', async () => {
  const { ports } = new MemoryPorts();
  await namespaces.create(ports, 'demo');
  await createDirectory(ports, 'demo', '/dir');
  for (const path of ['/dir/one', '/dir/two', '/other']) {
    await createWorkflow(ports, { namespace: 'demo', path, source: SOURCE });
  }
  const { purge } = await tree.remove(ports, 'demo', '/dir', true);
  await deleteNode(ports, 'demo', '/other', false);
  const restore = (place: string) => restoreNode(ports, 'demo', { place, ref: '', after: '' });
  for (const place of ['dir', 'dir/one']) {
    await expect(restore(place)).rejects.toMatchObject({ status: 409, message: expect.stringContaining('under way') });
  }
  expect((await restore('other')).restored).toEqual(['/other']);
  await finish(ports, purge);
  expect((await restore('dir')).restored).toEqual(['/dir/one', '/dir/two']);
});

test('an older deletion is restored by its revision, where the newest one cannot be undone', async () => {
  const { ports } = new MemoryPorts();
  const { id } = await namespaces.create(ports, 'demo');
  for (const version of ['one', 'two']) {
    await createWorkflow(ports, { namespace: 'demo', path: '/wf', source: `# ${version}\n${SOURCE}` });
    await deleteNode(ports, 'demo', '/wf', false);
  }
  const { deleted } = await deletions.list(ports, id, PAGE);
  const [newest = '', older = ''] = deleted.map(({ revision }) => revision);
  await ports.table.write([{ do: 'delete', key: keys.keptSource(id, newest) }]);
  const restore = (ref: string) => restoreNode(ports, 'demo', { place: 'wf', ref, after: '' });
  await expect(restore('')).rejects.toMatchObject({ status: 404, message: expect.stringContaining("'ref' names one") });
  await expect(restore('none')).rejects.toMatchObject({ status: 404 });
  expect(await restore(older)).toMatchObject({ restored: ['/wf'] });
  expect((await deletions.list(ports, id, PAGE)).deleted.map(({ revision }) => revision)).toEqual([newest]);
});

test('a large directory is restored page by page, also by the revision of a workflow of its first page', async () => {
  const { ports } = new MemoryPorts();
  const { id } = await namespaces.create(ports, 'demo');
  await createDirectory(ports, 'demo', '/dir');
  const paths = Array.from({ length: 60 }, (_, n) => `/dir/w${String(n).padStart(2, '0')}`);
  for (const path of paths) await createWorkflow(ports, { namespace: 'demo', path, source: SOURCE });
  await deleteNode(ports, 'demo', '/dir', true);
  const { deleted } = await deletions.list(ports, id, PAGE);
  const ref = deleted.find(({ path }) => path === '/dir/w00')?.revision ?? '';
  const first = await restoreNode(ports, 'demo', { place: 'dir', ref, after: '' });
  const second = await restoreNode(ports, 'demo', { place: 'dir', ref, after: first.next ?? '' });
  expect([...first.restored, ...second.restored]).toEqual(paths);
});
