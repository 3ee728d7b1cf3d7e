import { readFileSync } from 'node:fs';
import type { Client } from '../../service/access/client.ts';
import { ask, OUTSIDE, started, untilListening, untilStatus, untilTaskOf } from './space.ts';

const example = (path: string): string => readFileSync(new URL(`../../../examples/${path}`, import.meta.url), 'utf8');

/** Fulfils an order; a parcel that the carrier does not take fails the run, so that a person looks at it. */
const FULFIL = `functions:
- {id: stock, type: subflow, workflow: stock}
- {id: bank, type: subflow, workflow: bank}
- {id: carrier, type: subflow, workflow: carrier}
states:
- id: check
  type: switch
  conditions:
  - {condition: jq(.quantity > 0), transition: reserve}
  defaultTransition: refuse
- id: reserve
  type: action
  log: jq("reserve " + (.quantity | tostring) + " pieces for " + .order)
  action: {function: stock, input: {take: jq(.quantity)}}
  transform: 'jq(.left = .return.left)'
  catch: [{error: stock.short, transition: refuse}]
  transition: charge
- id: charge
  type: action
  log: jq("charge " + .card)
  action:
    function: bank
    input: {card: jq(.card), cents: jq(.quantity * 1250)}
    retries: {max_attempts: 2, delay: PT1S, multiplier: 2, codes: [bank.busy]}
  transform: 'jq(.paid = .return.cents)'
  catch: [{error: bank.refused, transition: put-back}]
  transition: ship
- id: ship
  type: action
  log: jq("hand over to the carrier for " + .country)
  action: {function: carrier, input: {country: jq(.country)}}
  transform: 'jq(.parcel = .return.parcel)'
  transition: confirm
- id: confirm
  type: noop
  transform: {status: shipped, parcel: jq(.parcel), paid: jq(.paid)}
- id: put-back
  type: action
  action: {function: stock, input: {take: jq(-.quantity)}}
  transition: refuse
- id: refuse
  type: noop
  transform: {status: refused, why: 'jq(.error.code // "no pieces")'}
`;

/** The workflow that a person is about to store: one transition leads to no state. */
export const WITH_A_MISTAKE = FULFIL.replace('transition: charge', 'transition: chagre');

const WORKFLOWS: Readonly<Record<string, string>> = {
  'hello.yaml': example('hello/workflow.yaml'),
  'orders/fulfil.yaml': FULFIL,
  'orders/bank': example('order-saga/flows/bank.yaml'),
  'orders/carrier': example('order-saga/flows/carrier.yaml'),
  'orders/stock': example('order-saga/flows/stock.yaml').replace('// 10', '// 60'),
  'orders/payment.yaml': example('order-payment/workflow.yaml'),
  'orders/validation.yaml': example('order-validation/workflow.yaml'),
  'reports/sum.yaml': example('sum-by-loop/workflow.yaml'),
};

const CARDS = ['visa-4711', 'amex-0815', 'visa-1234', 'blocked', 'visa-4711', 'visa-9090'];
const COUNTRIES = ['DE', 'FR', 'DE', 'DE', 'XX', 'FR'];

/** The namespace that the pages of the screenshots show, and the ids of its runs and events. */
export interface Showcase {
  readonly namespace: string;
  readonly failed: string;
  readonly waiting: string;
  readonly event: string;
  /** A run that waits for a decision. */
  readonly asking: string;
}

async function sendPayment(client: Client, base: string, id: string, order: string): Promise<void> {
  const event = { specversion: '1.0', id, type: 'payment.received', source: 'bank', order, data: { cents: 950 } };
  const headers = { 'Content-Type': 'application/cloudevents+json' };
  await client.call('POST', `${base}/broadcast`, { json: event, headers });
}

async function addOrders(client: Client, namespace: string): Promise<void> {
  for (const [index, card] of CARDS.entries()) {
    const input = { order: `o-${60 + index}`, quantity: (index % 3) + 1, card, country: COUNTRIES[index] };
    const id = await started(client, namespace, 'orders/fulfil.yaml', input);
    await untilStatus(client, namespace, id, COUNTRIES[index] === 'XX' ? 'failed' : 'complete');
  }
  for (const name of ['Ada', 'Grace', 'Edsger']) await started(client, namespace, 'hello.yaml', { name });
  for (const customer of ['Lovelace', '']) {
    const lines = [{ sku: 'AB-1234', quantity: 2 }];
    await started(client, namespace, 'orders/validation.yaml', { customer, lines });
  }
}

const PAID = 'start: {type: webhook, verify: {stripe: STRIPE_SECRET}, event: {type: payment.received}}\n';

/** Two refunds to decide, three pictures to label of which a worker holds one, and two webhooks. */
async function addOutside(client: Client, namespace: string): Promise<string> {
  const base = `/api/namespaces/${namespace}`;
  await ask(client, 'PUT', `${base}/tree/hooks?op=create-directory`);
  const sources = {
    'orders/refund.yaml': OUTSIDE['refund'],
    'reports/label.yaml': OUTSIDE['label'],
    'hooks/push.yaml': OUTSIDE['push'],
    'hooks/paid.yaml': `${PAID}states: [{id: unused, type: noop}]\n`,
  };
  for (const [path, source] of Object.entries(sources)) {
    await ask(client, 'PUT', `${base}/tree/${path}?op=create-workflow`, source);
  }
  await client.call('PUT', `${base}/secrets/STRIPE_SECRET`, { body: 'whsec' });
  await started(client, namespace, 'orders/refund.yaml', { amount: 125 });
  const asking = await started(client, namespace, 'orders/refund.yaml', { amount: 40 });
  await untilListening(client, namespace, asking);
  for (const image of ['a.png', 'b.png', 'c.png']) {
    await untilTaskOf(client, namespace, await started(client, namespace, 'reports/label.yaml', { image }));
  }
  const poll = { worker: 'gpu-7', wait: 'PT0S', lease: 'PT10M' };
  await ask(client, 'POST', `${base}/workers/labelling?op=poll`, poll);
  return asking;
}

/** Makes the namespace of a small shop: orders that were shipped, refused and failed, and two that wait for money. */
export async function makeShowcase(client: Client, namespace: string): Promise<Showcase> {
  const base = `/api/namespaces/${namespace}`;
  await ask(client, 'PUT', base);
  for (const folder of ['orders', 'reports']) await ask(client, 'PUT', `${base}/tree/${folder}?op=create-directory`);
  for (const [path, source] of Object.entries(WORKFLOWS)) {
    await ask(client, 'PUT', `${base}/tree/${path}?op=create-workflow`, source);
  }
  await addOrders(client, namespace);
  const paid = await started(client, namespace, 'orders/payment.yaml', { id: 'o-76', cents: 950 });
  await untilListening(client, namespace, paid);
  await sendPayment(client, base, 'payment-76', 'o-76');
  await untilStatus(client, namespace, paid, 'complete');
  const order = { order: 'o-75', quantity: 2, card: 'amex-7777', country: 'CH' };
  const failed = await started(client, namespace, 'orders/fulfil.yaml', order);
  await untilStatus(client, namespace, failed, 'failed');
  const waiting = await started(client, namespace, 'orders/payment.yaml', { id: 'o-77', cents: 950 });
  await untilListening(client, namespace, waiting);
  await sendPayment(client, base, 'payment-77', 'O-77');
  const asking = await addOutside(client, namespace);
  return { namespace, failed, waiting, event: 'payment-77', asking };
}
