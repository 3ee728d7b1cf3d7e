import type { ObjectSchema } from '../../../lib/compiler/input-schema.ts';
import { parseJson } from '../../../lib/language/json-numbers.ts';
import { ownMember } from '../../../lib/language/own-members.ts';
import { at, bytesAt, rowsAt, textAt } from '../client/replies.ts';
import { namespacePath, type Service, treePath } from '../client/service.ts';
import { CommandFailedError } from '../shell/command.ts';
import { stateOf, workflowsBelow } from '../workflows/listing.ts';
import { textFields } from './schemas.ts';

/** The service and namespace that the tools act on. */
export interface ToolPlace {
  readonly service: Service;
  readonly namespace: string;
}

type Arguments = Readonly<Record<string, unknown>>;

/** A tool: its description, its arguments, and how it is run. It returns a value that is sent as JSON. */
export interface Tool {
  readonly description: string;
  readonly input: ObjectSchema;
  /** It starts, changes or ends something. */
  readonly writes: boolean;
  /** Throws CommandFailedError, ServiceUnreachableError. */
  readonly run: (place: ToolPlace, given: Arguments) => Promise<unknown>;
}

/** The text of an argument; the empty text if there is none. */
export const text = (given: Arguments, name: string): string => {
  const value = ownMember(given, name);
  return typeof value === 'string' ? value : '';
};

/** The path of a run. */
export const runPath = ({ namespace }: ToolPlace, id: string): string =>
  `${namespacePath(namespace)}/instances/${encodeURIComponent(id)}`;

const remoteOf = (place: ToolPlace) => ({ ...place, note: () => {} });

const parsed = (bytes: Buffer): unknown => {
  try {
    return parseJson(bytes.toString('utf8'));
  } catch {
    return bytes.toString('utf8');
  }
};

/** Undefined for an object that the service does not have. */
async function ifThere<T>(value: Promise<T>): Promise<T | undefined> {
  return value.catch((error: unknown) => {
    if (error instanceof CommandFailedError && (error.status ?? 0) < 500) return undefined;
    throw error;
  });
}

async function searchRuns(place: ToolPlace, given: Arguments): Promise<unknown> {
  const filters = [
    ['AS', 'WORKFLOW', text(given, 'workflow').replace(/^\/+/, '')],
    ['STATUS', 'MATCH', text(given, 'status')],
    ['CREATED', 'AFTER', text(given, 'since')],
  ].filter(([, , value]) => value !== '');
  const query = new URLSearchParams({ limit: text(given, 'limit') || '20' });
  for (const [field = '', type = '', value = ''] of filters) {
    query.append('filter.field', field);
    query.append('filter.type', type);
    query.append('filter.val', value);
  }
  const reply = await place.service.call('GET', `${namespacePath(place.namespace)}/instances?${query}`);
  return { total: at(reply, 'instances', 'pageInfo', 'total'), runs: at(reply, 'instances', 'results') };
}

async function getRun(place: ToolPlace, given: Arguments): Promise<unknown> {
  const path = runPath(place, text(given, 'id'));
  const reply = await place.service.call('GET', path);
  const data = async (kind: string) => parsed(bytesAt(await place.service.call('GET', `${path}/${kind}`), 'data'));
  return {
    run: at(reply, 'instance'),
    flow: at(reply, 'flow'),
    input: await data('input'),
    output: await ifThere(data('output')),
  };
}

const NEWEST_LINES = 'limit=20&order.field=TIMESTAMP&order.direction=DESC';

/** The run, the step that failed with its query and data, the last lines of the log, and the source that it ran. */
async function explainFailure(place: ToolPlace, given: Arguments): Promise<unknown> {
  const { service } = place;
  const path = runPath(place, text(given, 'id'));
  const run = at(await service.call('GET', path), 'instance');
  const steps = at(await ifThere(service.call('GET', `${path}/timeline`)), 'steps');
  const all: unknown[] = Array.isArray(steps) ? steps : [];
  const failed = all.filter((step) => at(step, 'error') !== undefined);
  const last = failed.at(-1);
  const data =
    last === undefined ? undefined : await ifThere(service.call('GET', `${path}/steps/${textAt(last, 'n')}`));
  const lines = rowsAt(await service.call('GET', `${path}/logs?${NEWEST_LINES}`)) ?? [];
  const source = bytesAt(await ifThere(service.call('GET', `${path}?op=source`)), 'revision', 'source').toString(
    'utf8',
  );
  return {
    run,
    failedSteps: failed,
    lastFailedStep: data,
    log: lines.toReversed().map((line) => `${textAt(line, 'level')}: ${textAt(line, 'msg')}`),
    source,
    next: 'Correct the source or the data, check it by validate_workflow, then repeat the run by rerun_run, which can begin at the failed state.',
  };
}

const ID = 'The id of the run.';

/** The tools that change nothing. */
export const READING: Readonly<Record<string, Tool>> = {
  list_workflows: {
    description: 'Lists the workflows of the namespace, or below a directory, with their switch and traffic.',
    input: textFields({ 'directory?': 'A directory; default: the whole namespace.' }),
    writes: false,
    run: async (place, given) => {
      const remote = remoteOf(place);
      const rows = await workflowsBelow(remote, text(given, 'directory'));
      return Promise.all(rows.map((row) => stateOf(remote, row)));
    },
  },
  get_workflow: {
    description: 'Returns the YAML of a workflow.',
    input: textFields({
      path: 'The path of the workflow.',
      'ref?': 'A revision, a tag or latest, which is the default.',
    }),
    writes: false,
    run: async ({ service, namespace }, given) => {
      const ref = text(given, 'ref') || 'latest';
      const reply = await service.call(
        'GET',
        `${treePath(namespace, text(given, 'path'))}?ref=${encodeURIComponent(ref)}`,
      );
      return {
        revision: textAt(reply, 'revision', 'name'),
        source: bytesAt(reply, 'revision', 'source').toString('utf8'),
      };
    },
  },
  validate_workflow: {
    description:
      'Checks the YAML of a workflow and returns its problems with their places and corrections; stores nothing.',
    input: textFields({ source: 'The YAML.', 'path?': 'The path that the workflow has or will have.' }),
    writes: false,
    run: ({ service, namespace }, given) =>
      service.upload('POST', `${treePath(namespace, text(given, 'path') || 'checked')}?op=validate`, {
        body: text(given, 'source'),
      }),
  },
  search_runs: {
    description: 'Lists runs, the newest first, by workflow, status and time.',
    input: textFields({
      'workflow?': 'The path of a workflow, or its beginning.',
      'status?': 'pending, queued, complete, failed, crashed or cancelled.',
      'since?': 'Runs that began since then, as 2026-01-31T08:00:00Z.',
      'limit?': 'How many; default 20.',
    }),
    writes: false,
    run: searchRuns,
  },
  get_run: {
    description: 'Returns a run with its states, input and output.',
    input: textFields({ id: ID }),
    writes: false,
    run: getRun,
  },
  explain_failure: {
    description:
      'Explains why a run failed: the failed step with its query and the data it saw, its log and its source.',
    input: textFields({ id: ID }),
    writes: false,
    run: explainFailure,
  },
  why_waiting: {
    description: 'Explains what a pending run waits for: time, calls or events, and events that nearly matched.',
    input: textFields({ id: ID }),
    writes: false,
    run: (place, given) => place.service.call('GET', `${runPath(place, text(given, 'id'))}/waiting`),
  },
};
