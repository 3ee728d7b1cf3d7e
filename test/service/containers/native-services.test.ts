import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AnsweringServer, startAnswering } from '../access/answering-server.ts';
import { rowsOf } from '../access/client.ts';
import { openServiceSpace, type ServiceSpace } from './service-space.ts';

let space: ServiceSpace;
let server: AnsweringServer;
let home: string;
let all: string;

beforeAll(async () => {
  server = await startAnswering({ 'GET /orders': [{ json: { open: 3 } }] });
  space = await openServiceSpace();
});
afterAll(async () => {
  await space.close();
  await server.close();
});
beforeEach(async () => {
  space.containers.script.problem = 'there is no engine here';
  space.containers.prepared.clear();
  const namespace = await space.namespace();
  home = `/api/namespaces/${namespace}`;
  all = `/api/functions/namespaces/${namespace}`;
  await create('direktiv/request:v4');
  const body = `functions: [{id: f, type: knative-namespace, service: api}]
states: [{id: a, type: action, action: {function: f}}]
`;
  expect((await space.client.call('PUT', `${home}/tree/wf?op=create-workflow`, { body })).status).toBe(200);
});

const create = (image: string, path = all, name = 'api') =>
  space.good('POST', path, { name, image, cmd: '', size: 0, minScale: 1 });
const wait = () => space.client.call('POST', `${home}/tree/wf?op=wait`, { json: { url: `${server.url}/orders` } });
const listed = async (path = all, name = 'api') =>
  rowsOf((await space.good('GET', path))['functions']).find(({ info }) => Object(info)['name'] === name);
const readinessOf = (row: unknown) =>
  rowsOf(Object(row)['conditions']).map(({ name, status, reason }) => [name, status, reason].join(' ').trim());

describe('the service of a namespace whose image Weft serves itself', () => {
  test('calls a real server, where no container can run', async () => {
    const answer = await wait();
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json()['return']).toMatchObject({ 'status-code': 200, body: { open: 3 } });
    expect(space.containers.prepared.size).toBe(0);
  });

  test('is shown as ready without a container, with its reason', async () => {
    const row = await listed();
    expect(row).toMatchObject({ status: 'True', info: { image: 'direktiv/request:v4' } });
    expect(readinessOf(row)).toEqual([
      'ConfigurationsReady True Native',
      'Ready True Native',
      'RoutesReady True Native',
    ]);
    const { revisions } = await space.good('GET', `${all}/function/api`);
    expect(rowsOf(revisions)[0]).toMatchObject({ status: 'True', image: 'direktiv/request:v4' });
    expect(await space.good('GET', `${all}/function/api/revisions/00001/pods`)).toEqual({ pods: [] });
    expect(space.containers.prepared.size).toBe(0);
  });

  test('gets its container when the namespace excludes native images', async () => {
    space.containers.script.problem = undefined;
    await space.good('PATCH', `${home}/config`, { functions: { native: false } });
    expect(readinessOf(await listed())[1]).toBe('Ready Unknown Preparing');
    expect(readinessOf(await listed())[1]).toBe('Ready True');
    expect((await wait()).json()['return']).toEqual({ url: `${server.url}/orders` });
    await space.good('PATCH', `${home}/config`, { functions: { native: true } });
    expect((await wait()).json()['return']).toMatchObject({ body: { open: 3 } });
  });

  test('gets the container of a later revision with another image', async () => {
    space.containers.script.problem = undefined;
    await space.good('POST', `${all}/function/api`, { image: 'example/a', trafficPercent: 100 });
    expect([...space.containers.prepared.values()].map(({ revision }) => revision.image)).toEqual(['example/a']);
    expect((await wait()).json()['return']).toEqual({ url: `${server.url}/orders` });
  });

  test('of the installation is ready without a container too', async () => {
    await create('gcr.io/direktiv/functions/http-request:1.0', '/api/functions', 'native-global');
    expect(readinessOf(await listed('/api/functions', 'native-global'))[1]).toBe('Ready True Native');
    await space.good('DELETE', '/api/functions/native-global');
  });
});
