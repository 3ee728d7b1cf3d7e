import type { Handler } from 'aws-lambda';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DeployedSpace, requestOf } from './deployed-space.ts';

const CONTEXT = { awsRequestId: 'n1' } as never;
const WORKFLOW = 'labels: {order: jq(.id)}\nstates: [{id: a, type: delay, duration: PT1H}]\n';

let space: DeployedSpace;
let handlers: Readonly<Record<'namespaces' | 'tree' | 'instances', Handler>>;
let steps: typeof import('../../functions/triggers/steps.ts').handler;

async function call(name: keyof typeof handlers, ...request: Parameters<typeof requestOf>) {
  const reply = (await handlers[name](requestOf(...request), CONTEXT, () => {})) as {
    readonly statusCode: number;
    readonly body: string;
    readonly isBase64Encoded: boolean;
  };
  const text = Buffer.from(reply.body, reply.isBase64Encoded ? 'base64' : 'utf8').toString();
  expect(reply.statusCode, text).toBe(200);
  return text;
}

beforeAll(async () => {
  // A machine begins each run: its workflow sets the labels after the first commit.
  space = await DeployedSpace.open({ WEFT_START_BUDGET_MS: '0' });
  const [namespaces, tree, instances] = await Promise.all([
    import('../../functions/lambdas/namespaces.ts'),
    import('../../functions/lambdas/tree.ts'),
    import('../../functions/lambdas/instances.ts'),
  ]);
  handlers = { namespaces: namespaces.handler, tree: tree.handler, instances: instances.handler };
  steps = (await import('../../functions/triggers/steps.ts')).handler;
  await call('namespaces', 'PUT', '/api/namespaces/demo');
  await call('tree', 'PUT', '/api/namespaces/demo/tree/nap', WORKFLOW, { op: 'create-workflow' });
});
afterAll(() => space.close());

test('a run that a machine begins is found by the labels of its request, and then by those of its workflow', async () => {
  const start = { op: 'execute', 'label.team': 'shop' };
  const started = await call('tree', 'POST', '/api/namespaces/demo/tree/nap', '{"id": "o-1"}', start);
  const { instance } = JSON.parse(started) as { readonly instance: string };
  const found = async (label: string) => {
    const filter = { 'filter.field': 'LABEL', 'filter.type': 'MATCH', 'filter.val': label };
    const reply = JSON.parse(await call('instances', 'GET', '/api/namespaces/demo/instances', '', filter)) as {
      readonly instances: { readonly results: readonly { readonly id: string }[] };
    };
    return reply.instances.results.map(({ id }) => id);
  };
  expect([await found('team=shop'), await found('order=o-1')]).toEqual([[instance], []]);
  await steps({ run: instance });
  expect([await found('team=shop'), await found('order=o-1'), await found('order=o-2')]).toEqual([
    [instance],
    [instance],
    [],
  ]);
});
