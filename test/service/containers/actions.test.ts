import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { rowsOf } from '../access/client.ts';
import { openServiceSpace, type ServiceSpace } from './service-space.ts';

let space: ServiceSpace;
let namespace: string;
let home: string;

beforeAll(async () => {
  space = await openServiceSpace();
});
afterAll(() => space.close());
beforeEach(async () => {
  namespace = await space.namespace();
  home = `/api/namespaces/${namespace}`;
});

const workflowOf = (fields: string): string =>
  `functions: [{id: f, ${fields}}]\nstates: [{id: a, type: action, action: {function: f}}]\n`;

async function store(body: string): Promise<void> {
  const { status, text } = await space.client.call('PUT', `${home}/tree/wf?op=create-workflow`, { body });
  expect(status, text).toBe(200);
}

const wait = (input: object) => space.client.call('POST', `${home}/tree/wf?op=wait`, { json: input });

describe('a workflow that calls a container', () => {
  test.each([
    ['of its own', 'type: knative-workflow, image: example/echo'],
    ['of the namespace', 'type: knative-namespace, service: echo'],
    ['of the installation', 'type: knative-global, service: echo'],
  ])('%s returns the result of the container', async (_whose, fields) => {
    const service = { name: 'echo', image: 'example/echo', size: 0, minScale: 0, cmd: '' };
    await space.client.call('POST', '/api/functions', { json: service });
    await space.good('POST', `/api/functions/namespaces/${namespace}`, service);
    await store(workflowOf(fields));
    const answer = await wait({ n: 1 });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json()).toEqual({ n: 1, return: { n: 1 } });
  });

  test('is one instance; the calls of its container cannot be read as instances', async () => {
    await store(workflowOf('type: reusable, image: example/echo'));
    await wait({});
    const listed = rowsOf((await space.good('GET', `${home}/instances`))['instances']?.['results']);
    expect(listed).toHaveLength(1);
    const log = rowsOf((await space.good('GET', `${home}/instances/${listed[0]?.['id']}/logs`))['results']);
    const text = log.map((line) => String(line['msg'])).join('\n');
    const [, action] = /Sleeping until function 'f' returns \((\S+)\)\./.exec(text) ?? [];
    expect(action).toMatch(/^[0-9a-f-]{36}$/);
    expect(await space.refusal('GET', `${home}/instances/${action}`)).toBe('404 instance not found');
    expect(await space.refusal('POST', `${home}/instances/${action}/cancel`)).toBe('404 instance not found');
    const { results } = await space.good('GET', `${home}/metrics/invoked`);
    expect(rowsOf(results).map((row) => rowsOf(row['value'])[1])).toEqual(['1']);
  });

  test('streams the output of the container while it runs', async () => {
    await store(workflowOf('type: reusable, image: example/echo'));
    const { call } = space.containers;
    const released = Promise.withResolvers<void>();
    space.containers.call = async (id, made) => {
      await made.host.log('half way');
      await released.promise;
      return call(id, made);
    };
    try {
      const { instance } = await space.good('POST', `${home}/tree/wf?op=execute`, {});
      const stream = await space.follow(`${home}/instances/${instance}/logs`);
      const lines: string[] = [];
      while (!lines.includes('half way')) {
        lines.push(...rowsOf((await stream.json())['results']).map((line) => String(line['msg'])));
      }
      const shown = await space.good('GET', `${home}/instances/${instance}`);
      expect(shown['instance']?.['status']).toBe('pending');
      released.resolve();
      while (!lines.includes('Workflow completed.')) {
        lines.push(...rowsOf((await stream.json())['results']).map((line) => String(line['msg'])));
      }
      expect(lines).toEqual([...new Set(lines)]);
    } finally {
      released.resolve();
      space.containers.call = call;
    }
  });

  test('divides the calls of one state between revisions in the proportion of the traffic', async () => {
    const path = `/api/functions/namespaces/${namespace}`;
    const service = { name: 'echo', image: 'example/echo', size: 0, minScale: 0, cmd: '' };
    await space.good('POST', path, service);
    await space.good('POST', `${path}/function/echo`, { ...service, trafficPercent: 50 });
    await store(
      [
        'functions: [{id: f, type: knative-namespace, service: echo}]',
        'states: [{id: a, type: foreach, array: "jq([range(60) | {n: .}])", action: {function: f}}]',
      ].join('\n'),
    );
    const { call } = space.containers;
    const called: string[] = [];
    space.containers.call = (id, made) => {
      called.push(id);
      return call.call(space.containers, id, made);
    };
    try {
      expect((await wait({})).status).toBe(200);
    } finally {
      space.containers.call = call;
    }
    expect(called).toHaveLength(60);
    expect(new Set(called).size).toBe(2);
  });

  test('fails with the missing service in the message', async () => {
    await store(workflowOf('type: knative-namespace, service: nobody'));
    const answer = await wait({});
    expect(answer.status).toBe(500);
    expect(answer.text).toContain(
      `the namespace '${namespace}' has no service 'nobody'; create it, then run the workflow again`,
    );
  });

  test('fails with the reason if the service cannot run containers', async () => {
    await store(workflowOf('type: knative-workflow, image: example/echo'));
    space.containers.script.problem = 'no container engine was found';
    try {
      expect((await wait({})).text).toContain("the function 'f' cannot be called: no container engine was found");
    } finally {
      space.containers.script.problem = undefined;
    }
  });
});
