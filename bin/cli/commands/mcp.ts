import { packageVersion } from '../../../lib/adapters/portable/package.ts';
import { needNamespace, openService } from '../client/service.ts';
import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import { defineCommand, needArguments, UsageError } from '../shell/command.ts';

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--http is '${text}'; it must be a port, or 0 for a free one`);
}

export const mcp = defineCommand({
  about:
    'Serves the Model Context Protocol: an agent can read the workflows and runs of a namespace, and explain failures',
  usage: ['mcp [--write [--workflows DIRECTORY]]', 'mcp --http PORT [--write]'],
  notes: [
    'Without --http it serves one client on the standard input and output, as agents start it.',
    'The tools act with the key of the profile: give it the permission read unless --write is used.',
  ],
  options: {
    write: { type: 'boolean', help: 'offer tools that run, repeat and cancel workflows and store their text' },
    workflows: {
      type: 'string',
      value: 'DIRECTORY',
      help: 'offer each workflow below the directory (/ for all) as a tool',
    },
    http: { type: 'string', value: 'PORT', help: 'serve over HTTP on loopback at this port' },
    ...NAMESPACE_OPTION,
    ...TARGET_OPTIONS,
  },
  run: async (values, args, terminal) => {
    needArguments('mcp', [], args);
    const service = await openService(values, terminal);
    const namespace = needNamespace(service);
    if (values.workflows !== undefined && values.write !== true) {
      throw new UsageError('--workflows offers tools that run workflows; add --write');
    }
    const settings = {
      place: { service, namespace },
      allowsWrites: values.write === true,
      workflowsIn: values.workflows,
      version: packageVersion().slice(1),
    };
    // Loaded late: only this command needs the protocol.
    const { serveHttp, serveStdio } = await import('../mcp/transports.ts');
    if (values.http === undefined) await serveStdio(settings, terminal.signal);
    else {
      const onListening = (url: string) => terminal.printStatus(`the Model Context Protocol is served at ${url}`);
      await serveHttp(settings, { port: portOf(values.http), signal: terminal.signal, onListening });
    }
    return { text: '', isSuccess: true };
  },
});
