import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serviceAt } from '../../../bin/cli/client/service.ts';
import { createMcpServer } from '../../../bin/cli/mcp/server.ts';
import { serveHttp } from '../../../bin/cli/mcp/transports.ts';
import { type Client, type Json, openClient } from '../../service/access/client.ts';

const NAMESPACE = 'agents';
const BROKEN = `description: Prices an order
states:
- id: check
  type: validate
  schema: {type: object, required: [order], properties: {order: {type: object}}}
  transition: price
- id: price
  type: noop
  transform: 'jq({total: (.order.ammount * 2)})'
`;
const MENDED = BROKEN.replace('ammount', 'amount');

let client: Client;
beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', `/api/namespaces/${NAMESPACE}`);
  await client.call('PUT', `/api/namespaces/${NAMESPACE}/tree/price?op=create-workflow`, { body: BROKEN });
});
afterAll(() => client.close());

function settings(allowsWrites: boolean, workflowsIn?: string) {
  const service = serviceAt({ url: client.url, key: client.key, namespace: NAMESPACE }, new AbortController().signal);
  return { place: { service, namespace: NAMESPACE }, allowsWrites, workflowsIn, version: '0.0.0' };
}

async function connect(allowsWrites = false, workflowsIn?: string): Promise<McpClient> {
  const [mine, its] = InMemoryTransport.createLinkedPair();
  await createMcpServer(settings(allowsWrites, workflowsIn)).connect(its);
  const agent = new McpClient({ name: 'test', version: '0' });
  await agent.connect(mine);
  return agent;
}

async function use(
  agent: McpClient,
  name: string,
  given: object = {},
): Promise<{ readonly isError: boolean; readonly text: string; json(): Json }> {
  const result = await agent.callTool({ name, arguments: { ...given } });
  const [{ text } = { text: '' }] = result.content as { text: string }[];
  return { isError: result.isError === true, text, json: () => JSON.parse(text) as Json };
}

const namesOf = async (agent: McpClient): Promise<string[]> => (await agent.listTools()).tools.map(({ name }) => name);

interface Connection {
  readonly agent: McpClient;
  close(): Promise<void>;
}

/** Connects the client of the protocol's own SDK to `weft mcp`, as an agent does. */
const TRANSPORTS: Readonly<Record<string, (allowsWrites: boolean) => Promise<Connection>>> = {
  HTTP: async (allowsWrites) => {
    const stopping = new AbortController();
    const address = Promise.withResolvers<string>();
    const served = serveHttp(settings(allowsWrites), {
      port: 0,
      signal: stopping.signal,
      onListening: address.resolve,
    });
    const agent = new McpClient({ name: 'test', version: '0' });
    await agent.connect(new StreamableHTTPClientTransport(new URL(await address.promise)) as Transport);
    const close = async () => {
      await agent.close();
      stopping.abort();
      await served;
    };
    return { agent, close };
  },
  stdio: async (allowsWrites) => {
    const place = { WEFT_URL: client.url, WEFT_KEY: client.key, WEFT_NAMESPACE: NAMESPACE };
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: ['bin/weft.ts', 'mcp', ...(allowsWrites ? ['--write'] : [])],
      env: { ...(process.env as Record<string, string>), ...place },
      stderr: 'inherit',
    });
    const agent = new McpClient({ name: 'test', version: '0' });
    await agent.connect(transport);
    return { agent, close: () => agent.close() };
  },
};

describe('weft mcp', () => {
  test('offers only tools that read, unless writes are allowed', async () => {
    const reader = await connect();
    expect(await namesOf(reader)).toEqual([
      'list_workflows',
      'get_workflow',
      'validate_workflow',
      'search_runs',
      'get_run',
      'explain_failure',
      'why_waiting',
    ]);
    expect(await use(reader, 'run_workflow', { path: 'price' })).toMatchObject({
      isError: true,
      text: "there is no tool 'run_workflow'; start weft mcp with --write",
    });
    expect(await use(reader, 'get_run')).toMatchObject({ isError: true, text: "'get_run' needs id" });
    expect(await namesOf(await connect(true))).toContain('rerun_run');
  });

  test('leads from a failed run over its explanation and a mend to its repetition', async () => {
    const agent = await connect(true);
    const failed = await use(agent, 'run_workflow', { path: 'price', input: { order: { amount: 4 } } });
    expect(failed).toMatchObject({ isError: true, text: expect.stringContaining('jq.badCommand') });
    const found = (await use(agent, 'search_runs', { status: 'failed', workflow: 'price' })).json();
    const id = String((found['runs'] as unknown as Json[])[0]?.['id']);
    const why = (await use(agent, 'explain_failure', { id })).json();
    expect(JSON.stringify(why['lastFailedStep'])).toContain('"order":{"amount":4}');
    expect(why['source']).toBe(BROKEN);
    expect((await use(agent, 'validate_workflow', { source: MENDED })).json()['problems']).toEqual([]);
    expect((await use(agent, 'store_workflow', { path: 'price', source: MENDED })).isError).toBe(false);
    const again = (await use(agent, 'rerun_run', { id, from: 'price', revision: 'latest' })).json();
    await expect
      .poll(async () => (await use(agent, 'get_run', { id: String(again['instance']) })).json()['output'])
      .toEqual({ total: 8 });
  });

  test('offers workflows as tools with the schema of their input', async () => {
    await client.call('POST', `/api/namespaces/${NAMESPACE}/tree/price?op=update-workflow`, { body: MENDED });
    const agent = await connect(true, '/');
    const tool = (await agent.listTools()).tools.find(({ name }) => name === 'workflow_price');
    expect(tool).toMatchObject({
      description: 'Runs the workflow price: Prices an order',
      inputSchema: { type: 'object', required: ['order'] },
    });
    expect((await use(agent, 'workflow_price', { order: { amount: 2 } })).json()['output']).toEqual({ total: 4 });
    const input = 'input: {required: [order], properties: {order: {}, unit: {default: 3}}}\n';
    const states = 'states:\n- {id: a, type: noop, transform: "jq({total: (.order.amount * .unit)})"}\n';
    await client.call('PUT', `/api/namespaces/${NAMESPACE}/tree/typed?op=create-workflow`, { body: input + states });
    const typed = (await agent.listTools()).tools.find(({ name }) => name === 'workflow_typed');
    expect(typed?.inputSchema).toEqual({
      type: 'object',
      required: ['order'],
      properties: { order: {}, unit: { default: 3 } },
    });
    expect((await use(agent, 'workflow_typed', { order: { amount: 2 } })).json()['output']).toEqual({ total: 6 });
    expect(await use(agent, 'workflow_price', {})).toMatchObject({
      isError: true,
      text: "'workflow_price' needs order",
    });
  });

  test.each(Object.entries(TRANSPORTS))(
    'takes an agent from a failed run to its repetition over %s, which needs --write',
    async (name, open) => {
      const path = `over-${name.toLowerCase()}`;
      const tree = `/api/namespaces/${NAMESPACE}/tree/${path}`;
      await client.call('PUT', `${tree}?op=create-workflow`, { body: BROKEN });
      await client.call('POST', `${tree}?op=wait`, { json: { order: { amount: 4 } } });

      const reader = await open(false);
      const found = (await use(reader.agent, 'search_runs', { status: 'failed', workflow: path })).json();
      const id = String((found['runs'] as unknown as Json[])[0]?.['id']);
      const why = (await use(reader.agent, 'explain_failure', { id })).json();
      expect(why['run']).toMatchObject({ id, errorCode: expect.stringContaining('jq.badCommand') });
      expect(why['source']).toBe(BROKEN);
      expect((await use(reader.agent, 'validate_workflow', { source: MENDED })).json()['problems']).toEqual([]);
      for (const tool of ['store_workflow', 'rerun_run']) {
        expect(await use(reader.agent, tool, { id, path, source: MENDED })).toMatchObject({
          isError: true,
          text: `there is no tool '${tool}'; start weft mcp with --write`,
        });
      }
      expect((await use(reader.agent, 'get_workflow', { path })).json()['source']).toBe(BROKEN);
      await reader.close();

      const writer = await open(true);
      expect((await use(writer.agent, 'store_workflow', { path, source: MENDED })).isError).toBe(false);
      const again = (await use(writer.agent, 'rerun_run', { id, from: 'price', revision: 'latest' })).json();
      await expect
        .poll(async () => (await use(writer.agent, 'get_run', { id: String(again['instance']) })).json()['output'], {
          timeout: 10_000,
        })
        .toEqual({ total: 8 });
      await writer.close();
    },
    60_000,
  );
});
