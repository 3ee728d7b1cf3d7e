import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Service, startService } from '../../bin/server/service.ts';
import { readSettings } from '../../bin/server/settings.ts';
import { FairProcessor } from '../../lib/adapters/local/scheduling/fair-processor.ts';
import { ScriptedContainers } from '../contract/scripted-containers.ts';
import { type Client, clientOf } from '../service/access/client.ts';

const AT = '/api/namespaces/demo';

let service: Service;
let client: Client;
/** The tenants that took turns of the processor. */
let turns: string[];

beforeEach(async () => {
  turns = [];
  const processor = new FairProcessor({ now: () => performance.now() });
  const takeTurn = processor.takeTurn.bind(processor);
  processor.takeTurn = (tenant) => {
    turns.push(tenant);
    return takeTurn(tenant);
  };
  const settings = { ...readSettings({}), port: 0, data: undefined };
  service = await startService(settings, {}, { containers: new ScriptedContainers(), processor });
  client = clientOf(service.url, service.key, () => service.close());
  await client.call('PUT', AT);
});
afterEach(() => service.close());

test('an event is delivered in the turn of its namespace, also one that nothing waits for', async () => {
  await client.call('POST', `${AT}/broadcast`, { json: { specversion: '1.0', id: '1', source: 's', type: 't' } });
  await service.idle();
  expect(turns).toEqual(['demo']);
});

test('a tick is delivered in the turn of its namespace, also one that starts nothing', async () => {
  const target = { id: 'none', namespace: 'ghost', workflow: '/none' };
  await service.ports.schedules.set({ name: 'none', cron: '@every 1s', target });
  await expect.poll(() => turns, { timeout: 10_000 }).toContain('ghost');
});

test('a run computes in the turns of its namespace, by its name, as its requests do', async () => {
  await client.call('PUT', `${AT}/tree/w?op=create-workflow`, { body: 'states: [{id: a, type: noop}]\n' });
  await client.call('POST', `${AT}/tree/w?op=wait`);
  expect(turns).toEqual(['demo', 'demo']);
});
