import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PAINT_CODES } from '../../bin/cli/shell/terminal.ts';
import { withVisibleControls } from '../../bin/cli/shell/visible-text.ts';
import { type Client, openClient } from '../service/access/client.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

/** Sets the title of a terminal. */
const TITLE = '\u001b]0;owned\u0007';
const SHOWN = '\\u001b]0;owned\\u0007';
const FLOW = `
states:
- id: tell
  type: noop
  log: "a line with ${SHOWN}"
  transition: fail
- id: fail
  type: error
  error: shop.closed
  message: "closed ${SHOWN}"
`;

let client: Client;
let workspace: Workspace;
let id: string;

const weft = (args: readonly string[], started = {}) => workspace.weft(args, { drawn: [], ...started });

beforeAll(async () => {
  client = await openClient();
  workspace = await openWorkspace(client, 'demo');
  await client.call('PUT', '/api/namespaces/demo');
  await workspace.write({ 'flow.yaml': FLOW });
});
afterAll(async () => {
  await workspace.clear();
  await client.close();
});

describe('control characters in what a service sends', () => {
  test('are visible in logs and errors of runs', async () => {
    const run = await weft(['exec', 'flow.yaml']);
    expect(run.err).not.toContain('\u001b');
    expect(run.err).toContain(`a line with ${SHOWN}`);
    expect(run.err).toContain(`closed ${SHOWN}`);
    id = /instance (\S+)/.exec(run.err)?.[1] ?? '';
    for (const args of [['logs', id], ['instances', 'get', id], ['instances', 'show', id], ['instances']]) {
      const { out, code } = await weft(args);
      expect({ args, code, controls: out.match(/(?!\n)\p{Cc}/gu) }).toEqual({ args, code: 0, controls: null });
    }
  });

  test('are visible also where the output is a pipe, whose text a terminal may show later', async () => {
    const { out } = await workspace.weft(['logs', id]);
    expect(out).toContain(`a line with ${SHOWN}`);
    expect(out).not.toContain('\u001b');
  });

  test('are visible in events', async () => {
    const event = { specversion: '1.0', id: 'e1', source: TITLE, type: `order${TITLE}`, data: {} };
    const headers = { 'Content-Type': 'application/cloudevents+json' };
    const path = '/api/namespaces/demo/broadcast';
    expect((await client.call('POST', path, { body: JSON.stringify(event), headers })).status).toBe(200);
    const { out } = await weft(['events', 'list']);
    expect(out).toContain(`order${SHOWN}`);
    expect(out).not.toContain('\u001b');
  });

  test('are visible in a value on a terminal, and bytes of the value in a pipe', async () => {
    const text = `x${TITLE}\u009b31m\u202e\r\n`;
    await client.call('PUT', '/api/namespaces/demo/vars/x', { body: text });
    expect((await weft(['vars', 'get', 'x'], { answers: ['y'] })).out).toBe(`x${SHOWN}\\u009b31m\\u202e\r\n`);
    expect((await workspace.weft(['vars', 'get', 'x'])).out).toBe(text);
  });

  test('are those of the source of a workflow in a pipe', async () => {
    const source = 'description: "\u202e"\nstates: [{id: a, type: noop}]';
    await client.call('PUT', '/api/namespaces/demo/tree/bidi?op=create-workflow', { body: source });
    expect((await workspace.weft(['workflows', 'source', 'bidi'])).out).toBe(`${source}\n`);
    expect((await weft(['workflows', 'source', 'bidi'])).out).toContain('"\\u202e"');
  });

  test('are colours only where the command sets them', async () => {
    const { out } = await weft(['logs', id], { hasColour: true });
    expect(out).toContain('\u001b[');
    expect(PAINT_CODES.reduce((text, one) => text.replaceAll(one, ''), out)).not.toContain('\u001b');
  });
});

describe('in GitHub Actions', () => {
  const printed = async (text: string): Promise<string> => {
    const lines: string[] = [];
    const terminal = { env: { GITHUB_ACTIONS: 'true' }, printStatus: (line: string) => void lines.push(line) };
    withVisibleControls(terminal as unknown as Parameters<typeof withVisibleControls>[0]).printStatus(text);
    return lines.join('');
  };

  test.each([
    ['::error::x', '\\u003a:error::x'],
    ['first\n  ::add-mask::x', 'first\n  \\u003a:add-mask::x'],
    ['a ##[error]x', 'a \\u0023#[error]x'],
    ['std::vector', 'std::vector'],
    ['# a heading, ## another', '# a heading, ## another'],
  ])('%j is printed as %j', async (text, shown) => {
    expect(await printed(text)).toBe(shown);
  });

  test('names, failures and logs of tests are no commands', async () => {
    await workspace.write({
      'flow.test.yaml': `
workflow: flow.yaml
cases:
- name: "one\\n::error::from a name"
- name: two
  expect: {error: {message: "x\\n::error::from a message"}}
`,
    });
    const { out, code } = await workspace.weft(['test', 'flow.test.yaml'], { env: { GITHUB_ACTIONS: 'true' } });
    expect(code).toBe(1);
    expect(out).toContain('one ::error::from a name');
    expect(out).not.toMatch(/^\s*::/m);
  });

  test('weft validate prints its own commands', async () => {
    await workspace.write({ 'bad.yaml': 'states:\n- {id: a, type: "n::error::op"}\n' });
    const args = ['validate', 'bad.yaml', '--format', 'github'];
    const { out } = await workspace.weft(args, { env: { GITHUB_ACTIONS: 'true' } });
    expect(out).toMatch(/^::error file=bad\.yaml,line=2/);
    expect(out.match(/^\s*::error/gm)).toHaveLength(1);
  });
});
