import { parseJson } from '../../../lib/language/json-numbers.ts';
import { bytesAt, textAt } from '../client/replies.ts';
import { treePath } from '../client/service.ts';
import { CommandFailedError } from '../shell/command.ts';
import { workflowsBelow } from '../workflows/listing.ts';
import { runPath, type Tool, type ToolPlace, text } from './reading.ts';
import { argumentsOf, textFields } from './schemas.ts';

/** How long a tool waits for a run, in milliseconds. After that the tool returns the id, and the run continues. */
const WAIT_MS = 60_000;

/** Runs a workflow and waits for its output. */
async function runAndWait({ service, namespace }: ToolPlace, path: string, input: unknown): Promise<unknown> {
  const response = await service.send('POST', `${treePath(namespace, path)}?op=wait`, {
    body: JSON.stringify(input ?? {}),
    timeoutMs: WAIT_MS,
  });
  const body = await response.text();
  const run = response.headers.get('service-instance-id') ?? '';
  if (response.status >= 400)
    throw new CommandFailedError(`${run === '' ? '' : `run ${run}: `}${body.trim()}`, response.status);
  return { run, output: parseJson(body) as unknown };
}

const rerunBody = (given: Readonly<Record<string, unknown>>): object =>
  given['patch'] === undefined ? {} : { patch: given['patch'] };

const RERUN = textFields({
  id: 'The id of the run.',
  'from?': 'The state at which it begins, with the data recorded there; default: the first state.',
  'revision?': 'pinned, the default, or latest.',
});

/** The tools that start, change and end things. */
export const WRITING: Readonly<Record<string, Tool>> = {
  run_workflow: {
    description: 'Runs a workflow, waits for its end for a minute, and returns its output.',
    input: {
      type: 'object',
      properties: { path: { type: 'string', description: 'The path of the workflow.' }, input: { type: 'object' } },
      required: ['path'],
      additionalProperties: false,
    },
    writes: true,
    run: (place, given) => runAndWait(place, text(given, 'path'), given['input']),
  },
  rerun_run: {
    description: 'Repeats a run that has ended, from its beginning or from a state, and returns the id of the new run.',
    input: {
      ...RERUN,
      properties: {
        ...RERUN.properties,
        patch: {
          type: 'array',
          description: 'Operations of RFC 6902 that change the data first.',
          items: { type: 'object' },
        },
      },
    },
    writes: true,
    run: (place, given) => {
      const query = new URLSearchParams({ op: 'rerun', revision: text(given, 'revision') || 'pinned' });
      if (text(given, 'from') !== '') query.set('from', text(given, 'from'));
      return place.service.call('POST', `${runPath(place, text(given, 'id'))}?${query}`, rerunBody(given));
    },
  },
  cancel_run: {
    description: 'Cancels a pending run.',
    input: textFields({ id: 'The id of the run.' }),
    writes: true,
    run: async (place, given) => {
      await place.service.call('POST', `${runPath(place, text(given, 'id'))}/cancel`);
      return { cancelled: text(given, 'id') };
    },
  },
  store_workflow: {
    description: 'Stores the YAML of a workflow as its latest revision; creates the workflow if there is none.',
    input: textFields({ path: 'The path of the workflow.', source: 'The YAML.' }),
    writes: true,
    run: async ({ service, namespace }, given) => {
      const path = treePath(namespace, text(given, 'path'));
      const body = text(given, 'source');
      const reply = await service.upload('POST', `${path}?op=update-workflow`, { body }).catch((error: unknown) => {
        if (!(error instanceof CommandFailedError) || error.status !== 404) throw error;
        return service.upload('PUT', `${path}?op=create-workflow`, { body });
      });
      return { path: text(given, 'path'), revision: textAt(reply, 'revision', 'name') };
    },
  },
};

const toolName = (path: string): string => `workflow_${path.replace(/[^a-zA-Z0-9_-]/g, '_')}`.slice(0, 64);

/**
 * A tool for each workflow below a directory: its arguments are the input, by the JSON Schema that the workflow has
 * for it. Throws CommandFailedError, ServiceUnreachableError.
 */
export async function workflowTools(place: ToolPlace, directory: string): Promise<Readonly<Record<string, Tool>>> {
  const { service, namespace } = place;
  const rows = await workflowsBelow({ service, namespace, note: () => {} }, directory);
  const tools = rows.map(async ({ path }): Promise<[string, Tool]> => {
    const reply = await service.call('GET', treePath(namespace, path));
    const source = bytesAt(reply, 'revision', 'source').toString('utf8');
    const about = /^description: *['"]?(.*?)['"]?$/m.exec(source)?.[1];
    const description = `Runs the workflow ${path}${about === undefined ? '' : `: ${about}`}`;
    return [
      toolName(path),
      { description, input: argumentsOf(source), writes: true, run: (at, given) => runAndWait(at, path, given) },
    ];
  });
  return Object.fromEntries(await Promise.all(tools));
}
