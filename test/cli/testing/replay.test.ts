import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Client, openClient } from '../../service/access/client.ts';
import { openWorkspace, type Workspace } from '../workspace.ts';

const CANARY = 'canary-7c1f0e9a';

const FLOW = `
functions:
- {id: charge, type: subflow, workflow: bank/charge}
states:
- id: read
  type: getter
  variables: [{key: rate, scope: namespace}]
  transition: charge
- id: charge
  type: action
  action:
    function: charge
    secrets: [KEY]
    input: {amount: jq(.amount * .var.rate), key: jq(.secrets.KEY)}
    retries: {max_attempts: 3, delay: PT1S, codes: [bank.busy]}
  transform: 'jq(.left = .return.left)'
  catch: [{error: bank.refused, transition: refuse}]
  transition: approval
- id: approval
  type: consumeEvent
  timeout: PT1M
  event: {type: order.approved, context: {order: jq(.id)}}
  transform: 'jq({id, left, by: .["order.approved"].data.by})'
  transition: is-rich
- id: is-rich
  type: switch
  conditions: [{condition: jq(.left > 10), transition: rich}]
  defaultTransition: poor
- {id: rich, type: setter, variables: [{key: rate, scope: namespace, value: 7}], transform: {rich: true, by: jq(.by)}}
- {id: poor, type: noop, transform: {rich: false, by: jq(.by)}}
- {id: refuse, type: noop, transform: {refused: true}}
`;

/** Busy at the first call of each run of the test, by a variable. */
const CHARGE = `
states:
- {id: read, type: getter, variables: [{key: busy, scope: workflow}], transition: may}
- id: may
  type: switch
  conditions:
  - {condition: jq(.amount > 1000), transition: refused}
  - {condition: jq(.var.busy == null), transition: note}
  defaultTransform: {left: jq(.amount)}
- {id: note, type: setter, variables: [{key: busy, scope: workflow, value: true}], transition: busy}
- {id: busy, type: error, error: bank.busy, message: come again}
- {id: refused, type: error, error: bank.refused, message: too much}
`;

let client: Client;
let workspace: Workspace;
beforeAll(async () => {
  client = await openClient();
  workspace = await openWorkspace(client, 'demo');
  await workspace.write({ 'flows/order.yaml': FLOW, 'flows/bank/charge.yaml': CHARGE, secret: CANARY });
  await client.call('PUT', '/api/namespaces/demo');
  expect(await workspace.weft(['push', 'flows'])).toMatchObject({ code: 0 });
  await workspace.weft(['vars', 'set', 'rate', '--value', '2', '--type', 'application/json']);
  await workspace.weft(['secrets', 'set', 'KEY', 'secret']);
});
afterAll(async () => {
  await workspace.clear();
  await client.close();
});

/** Runs the order, approves it, and writes its bundle to a folder of its own. */
async function bundleOf(folder: string, amount: number): Promise<string> {
  const begun = await workspace.weft(['exec', 'order', 'id=o-1', `amount:=${amount}`, '--no-wait']);
  expect(begun).toMatchObject({ code: 0 });
  const id = begun.out.trim();
  for (let status = 'pending'; status === 'pending'; ) {
    status = (
      (await workspace.weft(['instances', 'get', id, '--json'])).json()['instance'] as unknown as { status: string }
    ).status;
    const { out } = await workspace.weft(['instances', 'waiting', id]);
    if (out.includes('order.approved')) {
      await workspace.weft([
        'events',
        'send',
        '--type',
        'order.approved',
        '--data',
        '{"by": "Ada"}',
        '--extension',
        'order=o-1',
      ]);
    }
  }
  await workspace.write({ [`${folder}/.keep`]: '' });
  const { code, err } = await workspace.weft(['instances', 'bundle', id, '-o', `${folder}/run.json`]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return id;
}

describe('a bundle', () => {
  test('replays its run without the service, and has no secret', async () => {
    const id = await bundleOf('same', 40);
    const text = await workspace.read('same/run.json');
    expect(text).not.toContain(CANARY);
    expect(JSON.parse(text)).toMatchObject({
      instance: { id },
      calls: [{ error: { code: 'bank.busy' } }, { return: { left: 80 } }],
      events: [{ event: { type: 'order.approved', data: { by: 'Ada' } } }],
      variables: { namespace: { rate: 2 } },
      secrets: ['KEY'],
      outcome: { output: { rich: true, by: 'Ada' } },
      notes: [],
    });
    const { code, out } = await workspace.weft(['replay', 'run.json'], {
      cwd: 'same',
      env: { WEFT_URL: 'http://127.0.0.1:1' },
    });
    expect({ code, lines: out.trim().split('\n') }).toEqual({
      code: 0,
      lines: [
        'run      read → charge → approval → is-rich → rich: complete',
        'replay   read → charge → approval → is-rich → rich: complete',
        'workflow order.yaml (recorded), the revision that ran',
        'the same way, the same result',
      ],
    });
  });

  test('shows where the present revision goes another way', async () => {
    await bundleOf('other', 40);
    await workspace.write({ 'other/order.yaml': FLOW.replace('.left > 10', '.left > 1000') });
    const { code, out } = await workspace.weft(['replay', 'run.json'], { cwd: 'other' });
    expect({ code, lines: out.trim().split('\n').slice(2) }).toEqual({
      code: 1,
      lines: [
        'workflow order.yaml, another revision than the one that ran',
        'the present revision goes another way:',
        "  after state 4, 'is-rich': the run went to 'rich', the replay goes to 'poor'",
        '  output.rich: true in the run, false in the replay',
      ],
    });
  });

  test('becomes a test, which fails for a revision that goes another way', async () => {
    await bundleOf('tests', 4000);
    const wrote = await workspace.weft(['replay', 'run.json', '--write-test', 'refused.test.yaml'], { cwd: 'tests' });
    expect(wrote.out.trim().split('\n').slice(-2)).toEqual([
      'wrote order.yaml, the revision that ran',
      "wrote refused.test.yaml; run it with 'weft test refused.test.yaml'",
    ]);
    const passed = await workspace.weft(['test'], { cwd: 'tests' });
    expect(passed.out).toContain('1 passed, 0 failed');
    await workspace.write({ 'tests/order.yaml': FLOW.replace('error: bank.refused', 'error: bank.denied') });
    const failed = await workspace.weft(['test'], { cwd: 'tests' });
    expect(failed.out).toContain('found failed: bank.refused: too much');
    const again = await workspace.weft(['replay', 'run.json', '--write-test', 'refused.test.yaml'], { cwd: 'tests' });
    expect(again.err).toContain('refused.test.yaml exists already; choose another name');
  });

  test('replays a run that went on before a call returned: a timeout, and a branch that lost', async () => {
    const CALL = 'functions: [{id: slow, type: subflow, workflow: slow}, {id: fast, type: subflow, workflow: fast}]\n';
    await workspace.write({
      'left/slow.yaml': 'states: [{id: a, type: delay, duration: PT3S, transform: {who: slow}}]',
      'left/fast.yaml': 'states: [{id: a, type: noop, transform: {who: fast}}]',
      'left/race.yaml': `${CALL}states:
- {id: race, type: parallel, mode: or, actions: [{function: slow}, {function: fast}], transform: 'jq({first: [.return[] | values.who][0]})', transition: ask}
- {id: ask, type: action, timeout: PT1S, action: {function: slow}, catch: [{error: service.cancels.timeout.soft, transition: late}]}
- {id: late, type: noop, transform: 'jq({first, late: true})'}
`,
    });
    expect(await workspace.weft(['push', 'left'])).toMatchObject({ code: 0 });
    const { out: output } = await workspace.weft(['exec', 'race', '-q']);
    expect(JSON.parse(output)).toEqual({ first: 'fast', late: true });
    const { out: listed } = await workspace.weft(['instances', 'list', '--workflow', 'race', '--json']);
    const [{ id }] = JSON.parse(listed) as [{ id: string }];
    await workspace.weft(['instances', 'bundle', id, '-o', 'race.json']);
    const { code, out } = await workspace.weft(['replay', 'race.json', '--write-test', 'race.test.yaml']);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('the same way, the same result') });
    expect((await workspace.weft(['test', 'race.test.yaml'])).out).toContain('1 passed, 0 failed');
  });

  test.each([
    ['kept', 'timeout: PT1M'],
    ['dropped', "timeout: PT1M\n  transform: 'jq({order, note: .return.form.comment, return: {by: .return.by}})'"],
  ])('has the decision of an approval, whose result is %s in the data', async (name, timeout) => {
    const example = await readFile('examples/refund-approval/workflow.yaml', 'utf8');
    const source = example
      .replace('timeout: PT1M', timeout)
      .replace('refunded: true', 'refunded: true, note: jq(.note // .return.form.comment)')
      .replace('to: finance', 'server: {host: 127.0.0.1, port: 9}, from: shop@example.com, to: finance');
    await workspace.write({ [`approved/${name}.yaml`]: source });
    await workspace.weft(['push', 'approved']);
    const input = '{"body": {"order": "o-7", "amount": 40}}';
    const id = (await workspace.weft(['exec', name, '--input', '-', '--no-wait'], { input })).out.trim();
    const decide = ['approvals', 'decide', id, 'approve', 'comment=as agreed', '--by', 'Ada'];
    await vi.waitFor(async () => expect(await workspace.weft(decide)).toMatchObject({ code: 0 }), 20_000);
    const bundle = ['instances', 'bundle', id, '-o', `${name}.json`];
    await vi.waitFor(async () => expect(await workspace.weft(bundle)).toMatchObject({ code: 0, err: '' }), 20_000);
    const { code, out } = await workspace.weft([
      'replay',
      `${name}.json`,
      '--write-test',
      `approved/${name}.test.yaml`,
    ]);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('the same way, the same result') });
    expect(out).toContain('requested → sign-off → pay: complete');
    expect((await workspace.weft(['test', `approved/${name}.test.yaml`])).out).toContain('1 passed, 0 failed');
  });

  test('has the result of an HTTP call, from the data if a transform has not dropped it', async () => {
    const server = createServer((_, reply) => {
      reply.setHeader('Content-Type', 'application/json');
      reply.end('{"id": 7}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const flow = (transform: string) =>
      `functions: [{id: api, type: http, url: 'http://127.0.0.1:${port}/', auth: {bearer: KEY}}]
states:
- {id: ask, type: action, action: {function: api}, ${transform}transition: end}
- {id: end, type: noop, transform: {id: 'jq(.return.body.id // .id)'}}
`;
    await workspace.write({
      'http/kept.yaml': flow(''),
      'http/dropped.yaml': flow('transform: {id: jq(.return.body.id)}, '),
    });
    await workspace.weft(['push', 'http']);
    const bundle = async (name: string) => {
      await workspace.weft(['exec', name, '-q']);
      const { out } = await workspace.weft(['instances', 'list', '--workflow', name, '--json']);
      const [{ id }] = JSON.parse(out) as [{ id: string }];
      return workspace.weft(['instances', 'bundle', id, '-o', `${name}.json`]);
    };
    expect((await bundle('kept')).out).toBe('wrote kept.json\n');
    expect((await workspace.weft(['replay', 'kept.json'])).out).toContain('the same way, the same result');
    expect((await bundle('dropped')).out).toBe(
      "wrote dropped.json\nnote: the result of a call of 'api' is not stored; write it into the bundle, as calls[0].return\n",
    );
    expect(await workspace.read('kept.json')).not.toContain(CANARY);
    server.close();
  });

  test('is refused for a run that has not ended; other files are no bundles', async () => {
    const begun = await workspace.weft(['exec', 'order', 'id=o-9', 'amount:=1', '--no-wait']);
    const refused = await workspace.weft(['instances', 'bundle', begun.out.trim()]);
    expect(refused.err).toContain('the run has not ended; wait for its end or cancel it');
    await workspace.write({ 'none.json': '{}', 'next.json': '{"weftBundle": 2}', 'half.json': '{"weftBundle": 1}' });
    const problemOf = async (file: string) => (await workspace.weft(['replay', file])).err;
    expect(await problemOf('none.json')).toContain("none.json is no bundle; 'weft instances bundle ID' writes one");
    expect(await problemOf('next.json')).toContain('is a bundle of version 2, and this program reads 1');
    expect(await problemOf('half.json')).toContain("is no complete bundle: 'instance' is missing or wrong");
  });
});
