import { beforeEach, expect, test } from 'vitest';
import { type AuditedRequest, record } from '../../../lib/domain/audit/entries.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { exportAudit } from '../../../lib/engine/events/audit-export.ts';
import { reconcile } from '../../../lib/engine/recovery/reconciler.ts';
import { MINUTE_MS } from '../../../lib/time/units.ts';
import { MemoryPorts } from '../world/memory-ports.ts';

const REQUEST: AuditedRequest = {
  actor: 'deployment',
  key: 'k1',
  action: 'createNamespace',
  namespace: 'shop',
  target: { namespace: 'shop' },
  outcome: 'done',
  status: 200,
  address: '127.0.0.1',
  forwardedFor: '',
  client: 'test',
};

let memory: MemoryPorts;

const portsFor = (namespace?: string) => ({
  ...memory.ports,
  settings: { ...memory.ports.settings, audit: { namespace } },
});

const sent = () => memory.messages.map(({ event = '{}' }) => (JSON.parse(event) as { data: object }).data);

beforeEach(async () => {
  memory = new MemoryPorts();
  await namespaces.create(memory.ports, 'operations');
});

test('each entry since the first pass is sent once as an event, by the reconciler', async () => {
  const ports = portsFor('operations');
  await record(ports, REQUEST);
  memory.now += 5 * MINUTE_MS;
  await reconcile(ports, { isExclusive: true });
  expect(sent()).toEqual([]);
  memory.now += MINUTE_MS;
  await record(ports, { ...REQUEST, action: 'deleteNamespace' });
  for (let pass = 0; pass < 3; pass += 1) await reconcile(ports, { isExclusive: false });
  expect(sent()).toMatchObject([{ ...REQUEST, action: 'deleteNamespace' }]);
  expect(memory.messages[0]).toMatchObject({ namespace: 'operations', type: 'service.audit', source: 'service' });
});

test('an entry that appears a moment after its time is sent too', async () => {
  const ports = portsFor('operations');
  await exportAudit(ports);
  memory.now += 10 * MINUTE_MS;
  await exportAudit(ports);
  memory.now -= 1000;
  await record(ports, REQUEST);
  memory.now += MINUTE_MS;
  await exportAudit(ports);
  expect(sent()).toMatchObject([REQUEST]);
});

test('nothing is sent without a namespace in the settings, or if it does not exist', async () => {
  for (const name of [undefined, 'elsewhere']) {
    const ports = portsFor(name);
    await exportAudit(ports);
    await record(ports, REQUEST);
    memory.now += MINUTE_MS;
    await exportAudit(ports);
  }
  expect(sent()).toEqual([]);
});
