import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWorkspace, type Workspace } from '../../cli/workspace.ts';
import { type Client, type Json, openClient, rowsOf } from '../access/client.ts';

const DEMO = '/api/namespaces/demo';

const WORKFLOWS: Readonly<Record<string, string>> = {
  sum: `states:
- {id: add, type: noop, transform: 'jq({n: (.n + 1), private: 5})', transition: check}
- id: check
  type: switch
  conditions: [{condition: 'jq(.n > 5)', transition: fail}]
- {id: fail, type: error, error: too.large, message: '{} is too large'}
`,
  hold: `states:
- {id: hold, type: consumeEvent, event: {type: paid, context: {order: "7"}}, timeout: PT1H}
`,
  typo: `states:
- {id: a, type: noop, transition: b}
- id: b
  type: noop
  transform: 'jq({total: (.ordr.price + 1), key: (1 + "a")})'
`,
  loop: `functions: [{id: sum, type: subflow, workflow: sum}]
states: [{id: go, type: foreach, array: 'jq(.list)', action: {function: sum}}]
`,
  refuse: "states: [{id: no, type: error, error: shop.refused, message: 'not today'}]\n",
  again: `functions: [{id: f, type: subflow, workflow: refuse}]
states:
- {id: go, type: action, action: {function: f, retries: {max_attempts: 3, delay: PT30S, codes: ['shop.*']}}}
`,
  nap: 'states: [{id: nap, type: delay, duration: PT1H}]\n',
  call: `functions: [{id: nap, type: subflow, workflow: nap}]
states: [{id: go, type: action, action: {function: nap}}]
`,
};

/** The wait of a run, as far as a test reads it. */
interface Waiting {
  readonly for: { readonly calls?: { readonly open: readonly { readonly retry?: { readonly at: string } }[] } };
}

let client: Client;
let workspace: Workspace;

beforeAll(async () => {
  client = await openClient();
  workspace = await openWorkspace(client, 'demo');
  await client.call('PUT', DEMO);
  for (const [name, body] of Object.entries(WORKFLOWS)) {
    await client.call('PUT', `${DEMO}/tree/${name}?op=create-workflow`, { body });
  }
});

afterAll(async () => {
  await workspace.clear();
  await client.close();
});

async function wait(name: string, body: string): Promise<string> {
  const answer = await client.call('POST', `${DEMO}/tree/${name}?op=wait`, { body });
  return String(answer.headers.get('service-instance-id'));
}

/** Starts a run, and returns its id when it waits. */
async function startWaiting(name: string): Promise<string> {
  const started = await client.call('POST', `${DEMO}/tree/${name}?op=execute`, { body: '{}' });
  const id = String(started.json()['instance']);
  for (;;) if ((await get(id, 'waiting'))['waiting'] !== undefined) return id;
}

const get = async (id: string, view: string): Promise<Json> =>
  (await client.call('GET', `${DEMO}/instances/${id}/${view}`)).json();
const rerun = (id: string, query = '', body = '{}') =>
  client.call('POST', `${DEMO}/instances/${id}?op=rerun${query}`, { body });

describe('the timeline of a run', () => {
  test('lists its steps, and a step shows the data at its entry and its end without private members', async () => {
    const id = await wait('sum', '{"n": 6, "private": 1}');
    const { steps, reruns, record } = await get(id, 'timeline');
    expect({ record, reruns }).toEqual({ record: 'full', reruns: [] });
    expect(steps).toMatchObject([
      { n: 1, state: 'add', to: 'check', change: { patch: [{ op: 'add', path: '/n', value: 7 }] } },
      { n: 2, state: 'check', to: 'fail', because: 'condition 0' },
      { n: 3, state: 'fail', error: { code: 'too.large' } },
    ]);
    expect(await get(id, 'steps/1')).toMatchObject({ in: { n: 6 }, out: { n: 7 } });
    expect(JSON.stringify(await get(id, 'steps/1'))).not.toContain('private');
    const linesOf = async (n: number) =>
      rowsOf(Object((await get(id, `steps/${n}`))['log'])['lines']).map(({ msg }) => msg);
    expect(await linesOf(1)).toEqual([
      'Running state logic (step:1) -- add',
      'Transforming state data.',
      'Transitioning to next state: check (2).',
    ]);
    expect(await linesOf(2)).toContain('Running state logic (step:2) -- check');
    expect(await linesOf(2)).not.toContain('Running state logic (step:1) -- add');
    expect((await client.call('GET', `${DEMO}/instances/${id}/steps/9`)).status).toBe(404);
  });

  test('explains a failed expression: its place, the value that it saw, and the name that was meant', async () => {
    const id = await wait('typo', '{"order": {"price": 2}, "private": 9}');
    const { steps } = await get(id, 'timeline');
    expect((steps as unknown as Json[])[1]?.['error']).toEqual({
      code: 'service.jq.badCommand',
      message: expect.stringContaining('unable to apply transform'),
      at: { file: '/typo', line: 5, column: 14 },
      expression: 'jq({total: (.ordr.price + 1), key: (1 + "a")})',
      saw: { type: 'object', sample: '{"order":{"price":2}}' },
      near: ['the value has `order`, not `ordr`'],
    });
    const { out } = await workspace.weft(['instances', 'show', id]);
    expect(out).toContain('at line 5, column 14 of /typo\n');
    expect(out).toContain('the value has `order`, not `ordr`\n');
  });

  test('is kept as the namespace is configured', async () => {
    await client.call('PUT', '/api/namespaces/flow');
    const config = { body: '{"record": "flow"}' };
    expect((await client.call('PATCH', '/api/namespaces/flow/config', config)).json()).toMatchObject({
      record: 'flow',
    });
    await client.call('PUT', '/api/namespaces/flow/tree/sum?op=create-workflow', { body: WORKFLOWS['sum'] ?? '' });
    const ran = await client.call('POST', '/api/namespaces/flow/tree/sum?op=wait', { body: '{"n": 1}' });
    const id = String(ran.headers.get('service-instance-id'));
    const { steps } = (await client.call('GET', `/api/namespaces/flow/instances/${id}/timeline`)).json();
    expect(steps).toMatchObject([{ state: 'add' }, { state: 'check' }]);
    expect(JSON.stringify(steps)).not.toContain('change');
  });

  test('is printed by the command line with bars, errors and the data of a state', async () => {
    const id = await wait('sum', '{"n": 6}');
    const shown = await workspace.weft(['instances', 'show', id]);
    expect(shown.out).toMatch(/^\/sum {2}failed {2}\d/);
    expect(shown.out).toMatch(/2 {2}check +█.*to fail \(condition 0\)\n/);
    expect(shown.out).toContain('too.large: ');
    const data = await workspace.weft(['instances', 'show', id, '--state', 'check']);
    expect(data.out).toContain('"n": 7');
  });
});

describe('a run that is repeated', () => {
  test('begins at a state with patched data, in the interface and on the command line', async () => {
    const id = await wait('sum', '{"n": 6}');
    const started = await rerun(id, '&from=check', '{"patch": [{"op": "replace", "path": "/n", "value": 2}]}');
    expect(started.json()).toMatchObject({ rerunOf: id });
    const again = String(started.json()['instance']);
    expect(await get(id, 'timeline')).toMatchObject({ reruns: [again] });
    const printed = await workspace.weft(['instances', 'rerun', id, '--from', 'add', '--latest']);
    expect(printed.out).toMatch(/^[0-9a-f-]{36}\n$/);
    expect(await get(printed.out.trim(), 'timeline')).toMatchObject({ rerunOf: id });
  });

  test('says first what it does again, and then makes only the calls that did not succeed', async () => {
    const id = await wait('loop', '{"list": [{"n": 1}, {"n": 9}]}');
    const warnings = [
      { state: 'go', effect: 'workflow', message: expect.stringContaining('where it did not succeed') },
    ];
    expect((await rerun(id, '&from=go', '{"dryRun": true}')).json()).toEqual({
      namespace: 'demo',
      rerunOf: id,
      warnings,
    });
    const planned = await workspace.weft(['instances', 'rerun', id, '--from', 'go', '--dry-run']);
    expect(planned.out).toBe(
      "warning: the state 'go' runs the workflow of the function 'sum' again, where it did not succeed\nnothing was started\n",
    );
    expect(await get(id, 'timeline')).toMatchObject({ reruns: [] });
    const patch = [{ op: 'replace', path: '/list/1/n', value: 2 }];
    const started = await rerun(id, '&from=go', JSON.stringify({ patch }));
    expect(started.json()).toMatchObject({ warnings });
    const again = String(started.json()['instance']);
    while (String((await get(again, 'timeline'))['instance']?.['status']) === 'pending') await get(again, 'waiting');
    const { steps } = await get(again, 'timeline');
    expect(steps).toMatchObject([{ calls: [{ call: 0, reused: true }, { call: 1 }], callCount: 2 }]);
    const shown = await workspace.weft(['instances', 'show', again]);
    expect(shown.out).toContain('returned before, not repeated');
    const all = await workspace.weft(['instances', 'rerun', id, '--from', 'go', '--repeat-all', '--dry-run']);
    expect(all.out).not.toContain('where it did not succeed');
  });

  test('is refused with a reason that names the mend', async () => {
    const id = await wait('sum', '{"n": 1}');
    const unknown = await rerun(id, '&from=nosuch');
    expect({ status: unknown.status, text: unknown.text }).toMatchObject({
      status: 406,
      text: expect.stringContaining("has no state 'nosuch'"),
    });
    expect((await rerun(id, '&revision=7')).text).toContain("must be 'pinned' or 'latest'");
    const open = await startWaiting('nap');
    expect((await rerun(open)).text).toContain('has not ended');
    await client.call('POST', `${DEMO}/instances/${open}/cancel`);
  });
});

describe('what a run waits for', () => {
  test('is an event, with the events of the last hour that nearly matched', async () => {
    const id = await startWaiting('hold');
    const event = '{"specversion":"1.0","id":"e1","source":"shop","type":"paid","order":"8"}';
    await client.call('POST', `${DEMO}/broadcast`, {
      body: event,
      headers: { 'content-type': 'application/cloudevents+json' },
    });
    expect((await get(id, 'waiting'))['waiting']).toMatchObject({
      state: 'hold',
      for: { events: { mode: 'one', filters: [{ type: 'paid', context: { order: '7' }, received: false }] } },
      nearMisses: [{ event: 'e1', attribute: 'order', expected: '7', found: '8' }],
    });
    const printed = await workspace.weft(['instances', 'waiting', id]);
    expect(printed.out).toContain("waits in 'hold' since ");
    expect(printed.out).toContain('near miss: event e1: order is "8", not "7"\n');
    await client.call('POST', `${DEMO}/instances/${id}/cancel`);
    expect(await get(id, 'waiting')).not.toHaveProperty('waiting');
    expect(await get(id, 'timeline')).toMatchObject({
      steps: [{ state: 'hold', error: { code: 'service.cancels.api' } }],
    });
  });

  test('is a time, or a call of another workflow', async () => {
    const nap = await startWaiting('nap');
    expect(await get(nap, 'waiting')).toMatchObject({ waiting: { state: 'nap', for: { delay: expect.any(String) } } });
    const call = await startWaiting('call');
    expect(await get(call, 'waiting')).toMatchObject({
      waiting: {
        state: 'go',
        for: { calls: { total: 1, returned: 0, open: [{ call: 0, attempt: 0, workflow: '/nap' }] } },
      },
    });
    for (const id of [nap, call]) await client.call('POST', `${DEMO}/instances/${id}/cancel`);
  });
});

test('a wait for a further retry names the newest attempt, which the machine has made by itself', async () => {
  const source = `functions: [{id: busy, type: subflow, workflow: busy}]
states:
- id: go
  type: action
  action: {function: busy, retries: {max_attempts: 99, delay: PT1S, codes: [bank.busy]}}
`;
  const busy = 'states: [{id: a, type: error, error: bank.busy, message: ask again later}]\n';
  for (const [name, body] of Object.entries({ busy, 'busy-again': source })) {
    await client.call('PUT', `${DEMO}/tree/${name}?op=create-workflow`, { body });
  }
  const id = await startWaiting('busy-again');
  const open = async (): Promise<Json | undefined> =>
    rowsOf((await get(id, 'waiting'))['waiting']?.['for']?.['calls']?.['open'])[0];
  const retry = { attempt: 3, of: 99, error: { code: 'bank.busy', message: 'ask again later' } };
  await expect.poll(open, { timeout: 30_000 }).toMatchObject({ workflow: '/busy', retry });
  await client.call('POST', `${DEMO}/instances/${id}/cancel`);
});

test('a wait for a retry names the attempt, its time, and why the one before failed', async () => {
  const id = await startWaiting('again');
  const open = async () => {
    const waiting = (await get(id, 'waiting'))['waiting'] as unknown as Waiting | undefined;
    return waiting?.for.calls?.open[0];
  };
  await expect.poll(open, { timeout: 10_000 }).toMatchObject({
    retry: { attempt: 1, of: 3, error: { code: 'shop.refused', message: 'not today' } },
  });
  const began = Date.parse(String((await get(id, 'timeline'))['instance']?.['createdAt']));
  const seconds = (Date.parse((await open())?.retry?.at ?? '') - began) / 1000;
  expect(seconds).toBeGreaterThanOrEqual(30);
  const printed = await workspace.weft(['instances', 'waiting', id]);
  expect(printed.out).toMatch(/ with 'shop\.refused': not today; retry 1 of 3 at \d{4}-/);
  await client.call('POST', `${DEMO}/instances/${id}/cancel`);
});

test('the source of a run is the text with which it ran, also after the workflow was changed', async () => {
  const id = await wait('typo', '{}');
  await client.call('POST', `${DEMO}/tree/typo?op=update-workflow`, { body: WORKFLOWS['nap'] ?? '' });
  const { path, revision } = (await client.call('GET', `${DEMO}/instances/${id}?op=source`)).json();
  const { source } = revision as unknown as { source: string };
  expect([path, Buffer.from(source, 'base64').toString()]).toEqual(['/typo', WORKFLOWS['typo']]);
  expect((await workspace.weft(['instances', 'source', id])).out).toBe(WORKFLOWS['typo']);
});
