import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type LocalTable, openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import { toExternalValue } from '../../../lib/domain/credentials/references.ts';
import * as secrets from '../../../lib/domain/credentials/secrets.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { receiveWebhook } from '../../../lib/engine/requests/webhooks/receiving.ts';
import { ExternalSecretError } from '../../../lib/ports/external-secrets.ts';
import { json, ProgrammedWeb, type Reply } from '../../contract/programmed-web.ts';
import { linesOf } from '../containers/service-space.ts';
import { World } from '../world/engine-world.ts';
import { runsOf, unfinishedOf } from '../world/snapshot.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openLocalTable();
});
afterAll(() => database.close());

const worlds: World[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

/** A workflow whose function sends the secret `KEY`, with the fields of its action and of its state. */
const workflowOf = (action = '', state = '') => `functions:
- {id: f, type: http, url: 'https://api.test/a', auth: {bearer: KEY}}
states:
- {id: go, type: action, action: {function: f${action}}${state}}
- {id: end, type: noop}
`;

/** Runs the workflow with the secret KEY as a reference; `value` is what is stored there. */
async function run(main: string, value: string | ExternalSecretError, reply: Reply = () => json({ ok: true })) {
  const web = new ProgrammedWeb(async (request) => reply(request));
  const world = new World(database, { web });
  worlds.push(world);
  await world.store({ main });
  const namespace = await namespaces.need(world.reliable, world.namespace);
  const reference = `aws-sm:weft/${namespace.name}/api#key`;
  const external = toExternalValue(world.reliable, namespace, reference, undefined);
  await secrets.set(world.reliable, namespace, 'KEY', external);
  world.externalSecrets.values.set(reference, value);
  const { id } = await world.execute('main', '{}');
  const rotate = (next: string) => world.externalSecrets.values.set(reference, next);
  const end = async () => {
    await world.pass();
    expect(unfinishedOf(world)).toEqual([]);
    const found = (await runsOf(world)).find((one) => one.id === id);
    if (found === undefined) throw new Error('there is no such run');
    return { main: found, log: (await linesOf(world, found)).map(({ text }) => text) };
  };
  const sent = () => web.requests.map(({ credentials }) => credentials?.['authorization']);
  return { rotate, end, sent, reference };
}

/** What a webhook replies to a request that has the secret `hidden`, if its own is stored elsewhere. */
async function receive(value: string | ExternalSecretError) {
  const world = new World(database, { web: new ProgrammedWeb() });
  worlds.push(world);
  await world.store({ hook: 'start: {type: webhook, verify: {url: {secret: KEY}}}\nstates: [{id: a, type: noop}]\n' });
  const namespace = await namespaces.need(world.reliable, world.namespace);
  const reference = `aws-sm:weft/${namespace.name}/hook`;
  await secrets.set(world.reliable, namespace, 'KEY', toExternalValue(world.reliable, namespace, reference, undefined));
  world.externalSecrets.values.set(reference, value);
  const request = { method: 'POST', headers: {}, query: { secret: ['hidden'] }, body: Buffer.from('{}') };
  return receiveWebhook(world.reliable, { namespace: namespace.name, path: 'hook' }, request, Number.POSITIVE_INFINITY);
}

describe('a webhook whose secret is stored elsewhere', () => {
  test('verifies requests by its value', async () => {
    expect(await receive('hidden')).toMatchObject({ kind: 'started' });
    expect(await receive('another')).toEqual({ kind: 'unknown' });
  });

  test.each(['missing', 'refused'] as const)('is unknown to its sender while the secret is %s', async (problem) => {
    expect(await receive(new ExternalSecretError(problem, 'for a reason'))).toEqual({ kind: 'unknown' });
  });

  test('lets its sender try again while the secret is unavailable', async () => {
    await expect(receive(new ExternalSecretError('unavailable', 'busy'))).rejects.toMatchObject({
      code: 'unavailable',
      message: 'the webhook cannot verify requests now; try again',
    });
  });
});

describe('a call with a secret that is stored elsewhere', () => {
  test('sends its value, and masks it in errors and logs', async () => {
    const caught = ", catch: [{error: 'http.status.4', transition: end}]";
    const { end, sent } = await run(workflowOf('', caught), 's3cret value', () => json({ no: 's3cret value' }, 401));
    const { main, log } = await end();
    expect(sent()).toEqual(['Bearer s3cret value']);
    expect(main.data['error']).toEqual({
      code: 'service.http.status.401',
      msg: 'GET https://api.test/a answered 401 Unauthorized: {"no":"***"}',
    });
    expect(JSON.stringify([main, log])).not.toContain('s3cret value');
  });

  test('sends the rotated value with its next attempt', async () => {
    const retries = ", retries: {max_attempts: 2, delay: PT10S, codes: ['service.http.*']}";
    const rotated: { by?: (next: string) => void } = {};
    const { end, sent, rotate } = await run(workflowOf(retries), 'old', ({ credentials }) => {
      rotated.by?.('new');
      return credentials?.['authorization'] === 'Bearer new' ? json({ ok: true }) : json({}, 401);
    });
    rotated.by = rotate;
    const { main } = await end();
    expect([main.status, sent()]).toEqual(['complete', ['Bearer old', 'Bearer new']]);
  });

  test.each(['missing', 'refused', 'unavailable'] as const)('fails if it is %s, and can be caught', async (problem) => {
    const error = new ExternalSecretError(problem, 'for a reason');
    const plain = await run(workflowOf(), error);
    const message = `secret 'KEY' (${plain.reference}): for a reason`;
    expect((await plain.end()).main).toMatchObject({
      status: 'failed',
      code: `service.secrets.${problem}`,
      message,
    });
    expect(plain.sent()).toEqual([]);
    const caught = await run(workflowOf('', `, catch: [{error: 'secrets.${problem}', transition: end}]`), error);
    expect((await caught.end()).main).toMatchObject({
      status: 'complete',
      data: { error: { code: `service.secrets.${problem}` } },
    });
  });
});
