import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { CallToolRequestSchema, type CallToolResult, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { ownMember } from '../../../lib/language/own-members.ts';
import { CommandFailedError, ServiceUnreachableError } from '../shell/command.ts';
import { READING, type Tool, type ToolPlace } from './reading.ts';
import { WRITING, workflowTools } from './writing.ts';

/** The settings of the server, which determine its tools. */
export interface McpSettings {
  readonly place: ToolPlace;
  /** Tools that start, change and end things too. */
  readonly allowsWrites: boolean;
  /** Each workflow below this directory is a tool; undefined: none. */
  readonly workflowsIn: string | undefined;
  readonly version: string;
}

async function toolsOf({ place, allowsWrites, workflowsIn }: McpSettings): Promise<Readonly<Record<string, Tool>>> {
  if (!allowsWrites) return READING;
  return { ...READING, ...WRITING, ...(workflowsIn === undefined ? {} : await workflowTools(place, workflowsIn)) };
}

const asText = (value: unknown): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value ?? null, null, 2) }],
});

const asError = (message: string): CallToolResult => ({ content: [{ type: 'text', text: message }], isError: true });

async function call(
  settings: McpSettings,
  name: string,
  given: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  const tools = await toolsOf(settings);
  const tool = ownMember(tools, name);
  if (tool === undefined) {
    const hint = Object.hasOwn(WRITING, name) ? '; start weft mcp with --write' : '';
    return asError(`there is no tool '${name}'${hint}`);
  }
  const missing = (tool.input.required ?? []).filter((field) => ownMember(given, field) === undefined);
  if (missing.length > 0) return asError(`'${name}' needs ${missing.join(', ')}`);
  try {
    return asText(await tool.run(settings.place, given));
  } catch (error) {
    if (error instanceof CommandFailedError || error instanceof ServiceUnreachableError) return asError(error.message);
    throw error;
  }
}

/** A server of the Model Context Protocol with the tools of a namespace. It is connected to a transport by the caller. */
export function createMcpServer(settings: McpSettings): Server {
  const server = new Server({ name: 'weft', version: settings.version }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: Object.entries(await toolsOf(settings)).map(([name, { description, input, writes }]) => ({
      name,
      description,
      inputSchema: { ...input },
      annotations: { readOnlyHint: !writes, destructiveHint: writes },
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => call(settings, params.name, params.arguments ?? {}));
  return server;
}
