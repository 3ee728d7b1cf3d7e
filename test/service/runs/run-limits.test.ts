import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, type Json, openClient } from '../access/client.ts';

const DEMO = '/api/namespaces/bounded';

const WORKFLOWS: Readonly<Record<string, string>> = {
  loop: `states:
- {id: one, type: noop, transition: two}
- {id: two, type: noop, transition: one}
`,
  // It catches the limit, and goes on.
  stubborn: `states:
- {id: one, type: noop, transition: two, catch: [{error: '*', transition: two}]}
- {id: two, type: noop, transition: one, catch: [{error: '*', transition: one}]}
`,
  orderly: `states:
- {id: one, type: noop, transition: one, catch: [{error: service.limits.*, transition: end}]}
- {id: end, type: noop, transform: 'jq({code: .error.code})'}
`,
  talk: `states:
- {id: one, type: noop, log: 'jq("x" * 1000)', transition: one}
`,
};

let client: Client;

beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', DEMO);
  for (const [name, body] of Object.entries(WORKFLOWS)) {
    await client.call('PUT', `${DEMO}/tree/${name}?op=create-workflow`, { body });
  }
});

afterAll(() => client.close());

const configure = (limits: object) => client.call('PATCH', `${DEMO}/config`, { body: JSON.stringify({ limits }) });

async function run(name: string): Promise<Json> {
  const answer = await client.call('POST', `${DEMO}/tree/${name}?op=wait`, { body: '{}' });
  const id = String(answer.headers.get('service-instance-id'));
  return (await client.call('GET', `${DEMO}/instances/${id}`)).json()['instance'] as unknown as Json;
}

describe('the limits of a run', () => {
  test('are settings of a namespace, and 0 returns to the default value', async () => {
    expect((await configure({ transitions: 100, logBytes: 50_000 })).json()).toMatchObject({
      limits: { transitions: 100, logBytes: 50_000 },
    });
    expect((await configure({ logBytes: 0 })).json()['limits']).toEqual({ transitions: 100 });
    expect((await client.call('GET', `${DEMO}/config`)).json()['limits']).toEqual({ transitions: 100 });
    expect((await configure({ transitions: -1 })).text).toContain('limits.transitions cannot be -1');
    expect((await configure({ seconds: 1 })).json()['message']).toContain('unknown field "seconds"');
  });

  test('end a loop without a wait', async () => {
    await configure({ transitions: 100 });
    expect(await run('loop')).toMatchObject({
      status: 'failed',
      errorCode: 'service.limits.transitions',
      errorMessage: 'the run has entered 100 states, the limit of a run in its namespace',
    });
  });

  test('can be caught once, to end in good order', async () => {
    await configure({ transitions: 100 });
    expect(await run('orderly')).toMatchObject({ status: 'complete' });
  });

  test('end a run that goes on for a tenth of the limit after it has caught one', async () => {
    await configure({ transitions: 100 });
    const { id, errorCode } = await run('stubborn');
    expect(errorCode).toBe('service.limits.transitions');
    const { flow } = (await client.call('GET', `${DEMO}/instances/${id}`)).json() as { flow?: unknown[] };
    expect(flow).toHaveLength(111);
  });

  test('end a run that writes too much into its log', async () => {
    await configure({ transitions: 0, logBytes: 50_000 });
    expect(await run('talk')).toMatchObject({ status: 'failed', errorCode: 'service.limits.log' });
  });
});
