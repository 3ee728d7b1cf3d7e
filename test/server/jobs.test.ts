import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startJobs } from '../../bin/server/upkeep/jobs.ts';
import type { LocalTable } from '../../lib/adapters/local/table/table.ts';
import * as jobs from '../../lib/domain/instances/jobs.ts';
import * as namespaces from '../../lib/domain/namespaces/namespaces.ts';
import { toListRequest } from '../../lib/domain/storage/list-requests.ts';
import { createWorkflow } from '../../lib/engine/changes/publishing.ts';
import { createJob } from '../../lib/engine/requests/bulk/jobs.ts';
import { execute } from '../../lib/engine/requests/start/start.ts';
import type { Ports } from '../../lib/ports/ports.ts';
import { MINUTE_MS } from '../../lib/time/units.ts';
import { openDatabase } from '../engine/world/engine-world.ts';
import { MemoryPorts } from '../engine/world/memory-ports.ts';

let database: LocalTable;

beforeAll(async () => {
  database = await openDatabase();
});
afterAll(() => database.close());

const FAILED = toListRequest({ 'filter.field': ['STATUS'], 'filter.type': ['MATCH'], 'filter.val': ['failed'] });

test('a job goes on after a pass over the jobs has failed', async () => {
  const memory = new MemoryPorts();
  let isBroken = false;
  const table: Ports['table'] = {
    get: (keys) => database.table.get(keys),
    query: (query) => (isBroken ? Promise.reject(new Error('the disk is full')) : database.table.query(query)),
    write: (writes) => database.table.write(writes),
  };
  const ports = { ...memory.ports, table };
  await namespaces.create(ports, 'jobs');
  const source = 'states: [{id: a, type: error, error: my.code, message: broken}]\n';
  await createWorkflow(ports, { namespace: 'jobs', path: '/fails', source });
  await execute(ports, { namespace: 'jobs', path: '/fails', ref: '', input: Buffer.from('{}') });
  memory.now += 1;
  const stop = await startJobs(ports as unknown as Ports);
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  try {
    const full = { ...ports, settings: { ...ports.settings, limits: { activeRuns: 0 } } };
    const how = { from: '', revision: 'pinned', repeat: 'failed' } as const;
    const { namespaceId, id } = await createJob(full, 'jobs', {
      action: 'rerun',
      how,
      request: FAILED,
      createdBy: 'ada',
    });
    isBroken = true;
    await expect.poll(() => log.mock.calls.length).toBeGreaterThan(0);
    isBroken = false;
    memory.now += 5 * MINUTE_MS;
    await expect.poll(async () => (await jobs.need(ports, namespaceId, id)).state).toBe('over');
  } finally {
    log.mockRestore();
    await stop();
  }
});
