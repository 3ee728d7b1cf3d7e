import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, openClient } from '../../service/access/client.ts';
import { openWorkspace, type Workspace } from '../workspace.ts';

const FLOW = `
functions:
- {id: charge, type: knative-workflow, image: bank/charge:1}
- {id: sub, type: subflow, workflow: deep/sub}
states:
- {id: read, type: getter, variables: [{key: rate, scope: namespace}], transform: 'jq(.rate = .var.rate)', transition: charge}
- id: charge
  type: action
  action: {function: charge, secrets: [KEY], input: {amount: jq(.amount * .rate), key: jq(.secrets.KEY)}}
  transform: 'jq(.paid = .return.paid)'
  catch: [{error: bank.refused, transition: refuse}]
  transition: approval
- id: approval
  type: consumeEvent
  event: {type: order.approved, context: {order: jq(.id)}}
  transition: sub
- {id: sub, type: action, action: {function: sub}, transform: {paid: jq(.paid), sub: jq(.return.sub)}}
- {id: refuse, type: noop, transform: {paid: false}}
`;
const SUB =
  'states: [{id: a, type: setter, variables: [{key: done, scope: namespace, value: 1}], transform: {sub: true}}]';
const TESTS = `
workflow: flow.yaml
variables: {namespace: {rate: 2}}
secrets: {KEY: s3cret}
cases:
- name: pays after the approval
  input: {id: o-1, amount: 40}
  mocks: {charge: {return: {paid: 'jq(.x) \\(1)'}}}
  events: [{type: order.approved, order: o-1}]
  expect:
    output: {paid: 'jq(.x) \\(1)', sub: true}
    states: [read, charge, approval, sub]
    calls: {charge: [{amount: 80, key: s3cret}]}
    variables: {namespace: {done: 1}}
- name: the bank refuses
  input: {amount: 1}
  mocks: {charge: {error: bank.refused, delay: PT1S}}
  expect: {output: {paid: false}, calls: {charge: 1}}
- name: another expectation
  input: {amount: 1}
  mocks: {charge: {error: bank.broken}}
  expect: {output: {paid: true}}
- name: several answers
  mocks: {charge: [{error: bank.busy}, {return: {}}]}
- name: a long wait
  mocks: {charge: {return: {}}}
  events: [{after: P1D, type: order.approved}]
`;

let client: Client;
let workspace: Workspace;
beforeAll(async () => {
  client = await openClient();
  workspace = await openWorkspace(client);
  await workspace.write({ 'flow.yaml': FLOW, 'deep/sub.yaml': SUB, 'flow.test.yaml': TESTS });
});
afterAll(async () => {
  await workspace.clear();
  await client.close();
});

describe('weft test --url', () => {
  test('runs the cases by a service, skips those that it cannot run, and leaves nothing there', async () => {
    const { code, out } = await workspace.weft(['test', '--url', client.url]);
    const lines = out.split('\n').filter((line) => /^ {2}[✓✗-]|^ {6}\S|^\d/.test(line));
    expect({ code, lines: lines.map((line) => line.replace(/\(\d+ ms\)/, '(N ms)')) }).toEqual({
      code: 1,
      lines: [
        '  ✓ pays after the approval (N ms)',
        '  ✓ the bank refuses (N ms)',
        '  ✗ another expectation (N ms)',
        expect.stringContaining('status: expected complete, found failed: bank.broken: the mock raises bank.broken'),
        '      the end of the log:',
        "  - several answers: the mock of 'charge' has several answers",
        '  - a long wait: it takes longer than 10 s of real time (--timeout)',
        '2 skipped, 2 passed, 1 failed',
      ],
    });
    expect((await client.call('GET', '/api/namespaces')).json()).toMatchObject({ results: [] });
  });

  test('the same cases pass or fail without a service', async () => {
    const { out } = await workspace.weft(['test', '--filter', 'bank|pays|expectation']);
    expect(out).toContain('2 passed, 1 failed');
  });

  test('rejects options that need the engine of the command', async () => {
    const { err } = await workspace.weft(['test', '--url', client.url, '--crash', 'every-step']);
    expect(err).toContain('--crash, --events and --coverage need the engine of this command; leave out --url');
  });
});
