import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, openClient } from '../service/access/client.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

const BRANCHES = `states:
- id: ask
  type: switch
  conditions: [{condition: jq(.good), transition: done}]
  defaultTransition: fix
- {id: fix, type: noop, transform: {good: 1}, transition: ask, catch: [{error: 'a<b', transition: done}]}
- {id: done, type: noop}
`;

const NAMED = `onFailure: undo
finally: done
cancelOn: {type: order.cancelled, transition: refund}
states:
- {id: ask, type: approval, subject: Ship?, choices: {approve: wait, refuse: ''}}
- {id: wait, type: eventsXor, events: [{event: {type: order.paid}, transition: done}]}
- {id: done, type: noop}
- {id: undo, type: noop}
- {id: refund, type: noop}
`;

const BROKEN = `onFailure: undo
states:
- {id: pay, type: error, error: bank.refused, message: no}
- {id: undo, type: noop}
`;

let client: Client;
let workspace: Workspace;
beforeAll(async () => {
  client = await openClient();
  workspace = await openWorkspace(client, 'graphs');
  await workspace.weft(['namespaces', 'create', 'graphs']);
  await workspace.write({ 'ask.yaml': BRANCHES, 'bad.yaml': 'states: []\n' });
  await workspace.weft(['push', 'ask.yaml']);
});
afterAll(async () => {
  await workspace.clear();
  await client.close();
});

describe('weft graph', () => {
  test('draws a file as text and as Mermaid, without a service', async () => {
    const env = { WEFT_URL: 'http://127.0.0.1:1' };
    expect((await workspace.weft(['graph', 'ask.yaml'], { env })).out).toBe(
      [
        '  ask   switch  (first)',
        '    [.good] -> done',
        '    [default] -> fix',
        '  fix   noop',
        '    -> ask',
        '    on a<b -> done',
        '  done  noop',
        '    -> end',
        '',
      ].join('\n'),
    );
    const { out } = await workspace.weft(['graph', 'ask.yaml', '--format', 'mermaid'], { env });
    expect(out).toContain('flowchart TD\n  s0["ask (switch)"]');
    expect(out).toContain('  s1 -.->|"a#60;b"| s2');
  });

  test('writes SVG, chosen by the name of the file', async () => {
    expect((await workspace.weft(['graph', 'ask', '-o', 'ask.svg'])).out).toBe('wrote ask.svg\n');
    const svg = await workspace.read('ask.svg');
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 \d+ \d+"/);
    expect(svg).toContain('>a&lt;b</text>');
    expect(svg.match(/<rect /g)).toHaveLength(3);
  });

  test('marks the way of a run', async () => {
    const id = (await workspace.weft(['exec', 'ask', 'good:=1', '--no-wait'])).out.trim();
    await workspace.weft(['logs', id, '-f']);
    const { out } = await workspace.weft(['graph', '--run', id]);
    expect(out).toMatch(/^\* ask/);
    expect(out).toContain('\n  fix');
    expect((await workspace.weft(['graph', '--run', id, '--format', 'mermaid'])).out).toContain('class s0,s2 entered');
  });

  test('names the choices of an approval, the events, and the causes of handlers', async () => {
    await workspace.write({ 'named.yaml': NAMED, 'broken.yaml': BROKEN });
    expect((await workspace.weft(['graph', 'named.yaml'])).out.split('\n')).toEqual(
      expect.arrayContaining([
        '    [approve] -> wait',
        '    [refuse] -> end',
        '    [order.paid] -> done',
        '  on failure                    handler',
        '    -> undo',
        '  cancelled by order.cancelled  handler',
        '    -> refund',
        '  finally, at any end           handler',
      ]),
    );
    await workspace.weft(['push', 'broken.yaml']);
    const id = (await workspace.weft(['exec', 'broken', '--no-wait'])).out.trim();
    await workspace.weft(['logs', id, '-f']);
    const { out } = await workspace.weft(['graph', '--run', id]);
    expect(out).toContain('* on failure');
    expect(out).toContain('* undo');
  });

  test('names a workflow that is invalid, and a format that there is not', async () => {
    expect(await workspace.weft(['graph', 'bad.yaml'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('no defined states'),
    });
    expect(await workspace.weft(['graph', 'ask.yaml', '--format', 'png'])).toMatchObject({ code: 2 });
  });
});
