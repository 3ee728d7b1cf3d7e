import { beforeEach, expect, test } from 'vitest';
import { list } from '../../../lib/domain/namespaces/deletions.ts';
import type { Namespace } from '../../../lib/domain/namespaces/namespaces.ts';
import { finishAll } from '../../../lib/domain/purging/purging.ts';
import * as nodes from '../../../lib/domain/tree/nodes.ts';
import { createDirectory, createWorkflow, deleteNode } from '../../../lib/engine/changes/publishing.ts';
import { restoreNode } from '../../../lib/engine/changes/restoring.ts';
import type { RunnerPorts } from '../../../lib/engine/ports.ts';
import { MemoryPorts } from '../world/memory-ports.ts';

const PLAIN = 'states: [{id: a, type: noop}]\n';
const NIGHTLY = `start: {type: scheduled, cron: '0 0 * * *'}\n${PLAIN}`;
const LATE = 'the scheduler does not answer';

let ports: RunnerPorts;
let broken: RunnerPorts;
let namespace: Namespace;

beforeEach(async () => {
  const memory = new MemoryPorts();
  ports = memory.ports;
  const remove = async () => Promise.reject(new Error(LATE));
  broken = { ...ports, schedules: { ...ports.schedules, remove } };
  namespace = await memory.namespace('home');
});

const store = (path: string, source: string) => createWorkflow(ports, { namespace: 'home', path, source });
const restore = (place: string, ref = '') => restoreNode(ports, 'home', { place, ref, after: '' });
const failToDelete = (path: string) => expect(deleteNode(broken, 'home', path, true)).rejects.toThrow(LATE);
const listed = async () => (await list(ports, namespace.id, { below: '/', limit: 0, cursor: '' })).deleted;

test('a workflow is restored while the rest of its deletion fails, which does not end it later', async () => {
  await store('/nightly', NIGHTLY);
  await failToDelete('/nightly');
  expect(await restore('nightly')).toEqual({ restored: ['/nightly'], failed: [] });
  await finishAll(ports);
  expect((await nodes.needWorkflow(ports, 'home', '/nightly')).node.live).toBe(true);
});

test('a directory of which a workflow cannot be removed waits; what was deleted of it is restored by its revision', async () => {
  await createDirectory(ports, 'home', '/dir');
  await store('/dir/a', NIGHTLY);
  await store('/dir/b', PLAIN);
  await failToDelete('/dir');
  const [{ path, revision } = { path: '', revision: 'none' }, ...others] = await listed();
  expect([path, others]).toEqual(['/dir/b', []]);
  const underway = /the deletion of '\/dir(\/[ab])?' is still under way.*the log of the service has the reason/;
  await expect(restore('dir')).rejects.toThrow(underway);
  await expect(restore('dir/a')).rejects.toThrow(underway);
  await expect(restore('dir/b', 'none')).rejects.toThrow(underway);
  expect(await restore('dir/b', revision)).toEqual({ restored: ['/dir/b'], failed: [] });
  await finishAll(ports);
  expect(await restore('dir')).toEqual({ restored: ['/dir/a'], failed: [] });
});

test('a purge that fails does not keep others from their end', async () => {
  for (const name of ['/a', '/b']) {
    await store(name, NIGHTLY);
    await failToDelete(name);
  }
  const first = (await listed()).find(({ path }) => path === '/a');
  let calls = 0;
  const remove = async (name: string) => {
    calls += 1;
    if (calls === 1) throw new Error(LATE);
    await ports.schedules.remove(name);
  };
  await expect(finishAll({ ...ports, schedules: { ...ports.schedules, remove } })).rejects.toThrow(LATE);
  expect([calls, first?.path]).toEqual([2, '/a']);
});
