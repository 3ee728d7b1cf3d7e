import { type Api, bytesOf } from './api.ts';
import { type Begun, type Ledger, type Slot, textOf } from './ledger.ts';
import type { Random } from './random.ts';
import { sourceOf, WORKFLOWS } from './workflows.ts';

/** Calls `send`, and notes the id before and after it. Rejects when the service does not acknowledge it. */
async function note({ sent, acknowledged }: Begun, id: string, send: () => Promise<unknown>): Promise<void> {
  sent.add(id);
  await send();
  acknowledged.add(id);
}

async function setSlot(api: Api, slot: Slot): Promise<void> {
  const number = slot.sent + 1;
  const value = textOf(slot, number);
  slot.sent = number;
  const path = `/vars/${slot.name}`;
  // A value comes before each deletion.
  if (value === undefined) bytesOf(await api.call('DELETE', path), `the deletion of ${slot.name}`);
  else bytesOf(await api.call('PUT', path, { body: value, type: 'text/plain' }), `a value of ${slot.name}`);
  slot.acknowledged = number;
}

const LONGEST_RUN = 60;

async function start(api: Api, { runs }: Ledger, id: string, random: Random): Promise<void> {
  const op = random.fraction() < 0.4 ? 'execute' : 'wait';
  const body = JSON.stringify({ id, rounds: random.between(1, LONGEST_RUN) });
  await note(runs, id, async () =>
    bytesOf(await api.call('POST', `/tree/counter?op=${op}`, { body }), `a run (${op})`),
  );
}

async function broadcast(api: Api, { events }: Ledger, id: string): Promise<void> {
  const event = { specversion: '1.0', type: 'durable', source: 'test', id, data: { id } };
  const body = { body: JSON.stringify(event), type: 'application/cloudevents+json' };
  await note(events, id, async () => bytesOf(await api.call('POST', '/broadcast', body), 'an event'));
}

async function createWorkflow(api: Api, { workflows }: Ledger, name: string): Promise<void> {
  const path = `/tree/${name}?op=create-workflow`;
  const body = { body: sourceOf(name), type: 'text/yaml' };
  await note(workflows, name, async () => bytesOf(await api.call('PUT', path, body), 'a workflow'));
}

/** Creates the namespace and its workflows. */
export async function prepare(api: Api): Promise<void> {
  bytesOf(await api.call('PUT', ''), 'the namespace');
  for (const [name, body] of Object.entries(WORKFLOWS)) {
    const reply = await api.call('PUT', `/tree/${name}?op=create-workflow`, { body, type: 'text/yaml' });
    bytesOf(reply, `the workflow ${name}`);
  }
}

/** Sends one request after the other until the service is gone. Each client uses one slot. */
async function sendUntilGone(api: Api, ledger: Ledger, client: number, random: Random): Promise<void> {
  const slot = ledger.slots[client] as Slot;
  for (let number = 0; ; number += 1) {
    const id = `c${client}-${number}`;
    const choice = random.fraction();
    if (choice < 0.4) await setSlot(api, slot);
    else if (choice < 0.7) await start(api, ledger, id, random);
    else if (choice < 0.95) await broadcast(api, ledger, id);
    else await createWorkflow(api, ledger, `w-${id}`);
  }
}

/**
 * Sends requests of all kinds from one client for each slot, until the service is gone; resolves then. An error reply is an
 * error of the test.
 */
export async function sendLoad(api: Api, ledger: Ledger, random: Random): Promise<void> {
  const clients = ledger.slots.map((_, client) => sendUntilGone(api, ledger, client, random));
  for (const result of await Promise.allSettled(clients)) {
    const { reason } = result as PromiseRejectedResult;
    // `fetch` rejects with a TypeError when the connection ends.
    if (!(reason instanceof TypeError)) throw reason;
  }
}
