import { ownMember } from '../../../../lib/language/own-members.ts';
import type { Observation } from '../../../../lib/testing/observation.ts';
import { at, bytesAt, textAt, textsAt } from '../../client/replies.ts';
import { namespacePath, readList, type Service, treePath } from '../../client/service.ts';
import { readLog } from '../../client/streams.ts';
import type { PreparedCase } from '../cases/prepared.ts';
import type { TestNamespace } from './namespace.ts';

const LOG_LINES = 12;

const STATUSES: Readonly<Record<string, Observation['status']>> = {
  pending: 'pending',
  complete: 'complete',
  failed: 'failed',
  cancelled: 'failed',
  crashed: 'crashed',
};

function toValue(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return bytes.toString('utf8');
  }
}

/** A run of a list. */
export interface ListedRun {
  readonly id: string;
  readonly path: string;
  readonly status: string;
}

/** All runs of a namespace, the oldest first. */
export async function readRuns({ service, name }: TestNamespace): Promise<ListedRun[]> {
  const rows = (await readList(service, `${namespacePath(name)}/instances?limit=100`, 'instances')) ?? [];
  const pathOf = (row: unknown): string => (textAt(row, 'as').split(':')[0] ?? '').replace(/^\/+/, '');
  return rows.map((row) => ({ id: textAt(row, 'id'), path: pathOf(row), status: textAt(row, 'status') })).reverse();
}

const instancePath = (name: string, id: string): string => `${namespacePath(name)}/instances/${id}`;

async function variableAt(service: Service, path: string): Promise<unknown> {
  const response = await service.send('GET', path);
  const bytes = Buffer.from(await response.arrayBuffer());
  return response.status >= 400 ? undefined : toValue(bytes);
}

/** The variables that the case expects. */
async function variablesOf({ service, name }: TestNamespace, { test, main }: PreparedCase, root: string) {
  const pathOf = {
    namespace: (key: string) => `${namespacePath(name)}/vars/${key}`,
    workflow: (key: string) => `${treePath(name, main.path)}?op=var&var=${key}`,
    instance: (key: string) => `${instancePath(name, root)}/vars/${key}`,
  };
  const read = async (scope: keyof typeof pathOf) => {
    const keys = Object.keys(test.expect.variables[scope] ?? {});
    const values = keys.map(async (key) => [key, await variableAt(service, pathOf[scope](encodeURIComponent(key)))]);
    return Object.fromEntries(await Promise.all(values)) as Record<string, unknown>;
  };
  return { namespace: await read('namespace'), workflow: await read('workflow'), instance: await read('instance') };
}

async function callsOf({ service, name, mocked }: TestNamespace, all: readonly ListedRun[]) {
  const calls: Observation['calls'][number][] = [];
  for (const { id, path } of all) {
    const key = mocked.get(path);
    if (key === undefined) continue;
    const input = toValue(bytesAt(await service.call('GET', `${instancePath(name, id)}/input`), 'data'));
    calls.push({ function: key, input, state: '', times: 1, isIdempotent: true });
  }
  return calls;
}

async function logOf({ service, name }: TestNamespace, root: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const { msg } of readLog(service, `${instancePath(name, root)}/logs`)) lines.push(msg);
  return lines.slice(-LOG_LINES);
}

/** The observation of a case that a service has run; events that runs sent and the time are not observed. */
export async function observeRemote(
  namespace: TestNamespace,
  prepared: PreparedCase,
  root: string | undefined,
): Promise<Observation> {
  const { service, name } = namespace;
  const all = await readRuns(namespace);
  const path = instancePath(name, root ?? '');
  const reply = root === undefined ? undefined : await service.call('GET', path);
  const status = ownMember(STATUSES, textAt(reply, 'instance', 'status')) ?? 'pending';
  const code = textAt(reply, 'instance', 'errorCode');
  const message = textAt(reply, 'instance', 'errorMessage');
  const output = status === 'complete' ? bytesAt(await service.call('GET', `${path}/output`), 'data') : undefined;
  return {
    status,
    error: code === '' ? undefined : { code, message },
    output: output === undefined ? undefined : toValue(output),
    states: textsAt(reply, 'flow'),
    took: 0,
    calls: await callsOf(namespace, all),
    events: [],
    variables: await variablesOf(namespace, prepared, root ?? ''),
    variableWrites: {},
    runs: all.map((run) => ({
      path: run.path,
      status: ownMember(STATUSES, run.status) ?? 'pending',
      states: [],
      transitions: [],
      caught: [],
    })),
    problems: [],
    log: root === undefined ? [] : await logOf(namespace, root),
  };
}

/** Whether the run waits for events at present. */
export async function isWaitingForEvents({ service, name }: TestNamespace, id: string): Promise<boolean> {
  const reply = await service.call('GET', `${instancePath(name, id)}/waiting`);
  return at(reply, 'waiting', 'for', 'events') !== undefined;
}
