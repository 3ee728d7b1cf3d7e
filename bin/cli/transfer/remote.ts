import { createHash } from 'node:crypto';
import { at, bytesAt, rowsAt, textAt, textsAt } from '../client/replies.ts';
import { namespacePath, readList, type Service, treePath } from '../client/service.ts';
import { CommandFailedError } from '../shell/command.ts';
import type { Route } from './desired-state.ts';

/** A namespace on a server, and a listener for notes. */
export interface Remote {
  readonly service: Service;
  readonly namespace: string;
  /** Called for each thing that is left out. */
  readonly note: (text: string) => void;
}

export interface RemoteRevision {
  readonly id: string;
  readonly createdAt: string;
  readonly source: Buffer;
  readonly hash: string;
  readonly isSaved: boolean;
}

export interface RemoteNode {
  readonly kind: 'directory' | 'workflow';
  readonly attributes: readonly string[];
  /** It is part of a Git mirror and cannot be changed. */
  readonly isReadOnly: boolean;
}

export interface RemoteWorkflow extends RemoteNode {
  readonly kind: 'workflow';
  readonly logger: string;
  readonly latest: RemoteRevision;
}

/** The properties of a workflow on the server besides its latest source. */
export interface WorkflowHistory {
  /** The saved and the tagged revisions without the latest, the oldest first. */
  readonly older: readonly RemoteRevision[];
  readonly isLatestSaved: boolean;
  /** The id of the revision of each tag. */
  readonly tags: ReadonlyMap<string, string>;
  readonly live: boolean;
  readonly routes: readonly Route[];
}

export interface RemoteVariable {
  readonly name: string;
  readonly size: number;
  /** SHA-256, hexadecimal; empty if the server returns none. */
  readonly checksum: string;
  readonly mimeType: string;
}

const MISSING = 404;
/** The statuses of requests that a server does not serve. */
const NOT_SERVED: readonly (number | undefined)[] = [403, 404, 405, 406, 501];

/** The SHA-256 of bytes, hexadecimal. */
export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The reply, or undefined for the status 404. Throws CommandFailedError, ServiceUnreachableError. */
async function find(service: Service, path: string): Promise<unknown> {
  try {
    return await service.call('GET', path);
  } catch (error) {
    if (error instanceof CommandFailedError && error.status === MISSING) return undefined;
    throw error;
  }
}

/** The result of `read`; undefined, with a note, if the server does not serve it. */
export async function ifServed<T>(
  remote: Remote,
  label: string,
  read: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const skip = (reason: string) => remote.note(`${label}: the server does not return them (${reason}); left out`);
  try {
    const value = await read();
    if (value === undefined) skip('no such list');
    return value;
  } catch (error) {
    if (!(error instanceof CommandFailedError) || !NOT_SERVED.includes(error.status)) throw error;
    skip(error.message);
    return undefined;
  }
}

/** The path of a node of the tree. */
export const treePathOf = ({ namespace }: Remote, path: string): string => treePath(namespace, path);

function toNode(reply: unknown): RemoteNode {
  return {
    kind: textAt(reply, 'node', 'type') === 'directory' ? 'directory' : 'workflow',
    attributes: textsAt(reply, 'node', 'attributes'),
    isReadOnly: textAt(reply, 'node', 'readOnly') === 'true',
  };
}

function toRevision(reply: unknown): RemoteRevision {
  const source = bytesAt(reply, 'revision', 'source');
  const hash = hashOf(source);
  // Servers before v0.6 give a revision no name.
  const id = textAt(reply, 'revision', 'name') || textAt(reply, 'revision', 'hash') || hash;
  return { id, createdAt: textAt(reply, 'revision', 'createdAt'), source, hash, isSaved: false };
}

/** Whether a node is a workflow. */
export const isWorkflow = (node: RemoteNode): node is RemoteWorkflow => node.kind === 'workflow';

/** The node at a path, if there is one. Throws CommandFailedError, ServiceUnreachableError. */
export async function findNode(remote: Remote, path: string): Promise<RemoteNode | RemoteWorkflow | undefined> {
  const reply = await find(remote.service, treePathOf(remote, path));
  if (reply === undefined) return undefined;
  const node = toNode(reply);
  if (node.kind === 'directory') return node;
  const workflow = { ...node, kind: 'workflow', logger: textAt(reply, 'eventLogging'), latest: toRevision(reply) };
  return workflow as RemoteWorkflow;
}

export interface Child {
  readonly name: string;
  readonly type: string;
  readonly isMirror: boolean;
  readonly attributes: readonly string[];
}

/** The children of a directory, by name. Throws CommandFailedError, ServiceUnreachableError. */
export async function readChildren(remote: Remote, path: string): Promise<Child[]> {
  const rows = (await readList(remote.service, treePathOf(remote, path), 'children')) ?? [];
  const children = rows.map((row) => ({
    name: textAt(row, 'name'),
    type: textAt(row, 'type'),
    isMirror: textAt(row, 'expandedType') === 'git',
    attributes: textsAt(row, 'attributes'),
  }));
  return children.sort((a, b) => (a.name < b.name ? -1 : 1));
}

const LATEST = 'latest';

async function readNames(remote: Remote, path: string, op: 'revisions' | 'tags'): Promise<string[] | undefined> {
  const rows = await ifServed(remote, `${op} of ${path}`, () =>
    readList(remote.service, `${treePathOf(remote, path)}?op=${op}`),
  );
  return rows?.map((row) => textAt(row, 'name')).filter((name) => name !== '' && name !== LATEST);
}

async function readRouter(remote: Remote, path: string): Promise<Pick<WorkflowHistory, 'live' | 'routes'>> {
  const reply = await ifServed(remote, `router of ${path}`, async () => {
    const found = await remote.service.call('GET', `${treePathOf(remote, path)}?op=router`);
    return Array.isArray(at(found, 'routes')) ? found : undefined;
  });
  const routes = at(reply, 'routes');
  return {
    live: textAt(reply, 'live') !== 'false',
    routes: (Array.isArray(routes) ? routes : []).map((route) => ({
      ref: textAt(route, 'ref') || LATEST,
      weight: Number(textAt(route, 'weight')),
    })),
  };
}

/** Revisions, tags and router of a workflow. Parts that the server does not return are left out, with a note. */
export async function readHistory(remote: Remote, path: string, { latest }: RemoteWorkflow): Promise<WorkflowHistory> {
  const saved = (await readNames(remote, path, 'revisions')) ?? [];
  const names = (await readNames(remote, path, 'tags')) ?? [];
  const byId = new Map<string, RemoteRevision>();
  const tags = new Map<string, string>();
  for (const name of [...saved, ...names]) {
    const revision =
      name === latest.id
        ? latest
        : toRevision(await remote.service.call('GET', `${treePathOf(remote, path)}?ref=${encodeURIComponent(name)}`));
    byId.set(revision.id, { ...revision, isSaved: saved.includes(revision.id) });
    if (names.includes(name)) tags.set(name, revision.id);
  }
  const isLatestSaved = saved.includes(latest.id);
  byId.delete(latest.id);
  const older = [...byId.values()].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  return { older, isLatestSaved, tags, ...(await readRouter(remote, path)) };
}

/** The path of the variables of the namespace or of a workflow. */
export const variablesOf = (remote: Remote, workflow?: string): string =>
  workflow === undefined ? `${namespacePath(remote.namespace)}/vars` : `${treePathOf(remote, workflow)}?op=vars`;

/** The path of a variable of the namespace or of a workflow. */
export function variablePath(remote: Remote, name: string, op: 'var' | 'set-var', workflow?: string): string {
  const encoded = encodeURIComponent(name);
  return workflow === undefined
    ? `${namespacePath(remote.namespace)}/vars/${encoded}`
    : `${treePathOf(remote, workflow)}?op=${op}&var=${encoded}`;
}

/** The variables of the namespace or of a workflow, by name; undefined if the server has no such list. */
export async function listVariables(remote: Remote, workflow?: string): Promise<RemoteVariable[] | undefined> {
  const label = `variables of ${workflow ?? 'the namespace'}`;
  const rows = await ifServed(remote, label, () =>
    readList(remote.service, variablesOf(remote, workflow), 'variables'),
  );
  const variables = rows?.map((row) => ({
    name: textAt(row, 'name'),
    size: Number(textAt(row, 'size')),
    checksum: textAt(row, 'checksum'),
    mimeType: textAt(row, 'mimeType'),
  }));
  return variables?.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The settings of the namespace; undefined if the server has none. */
export function readConfig(remote: Remote): Promise<unknown> {
  return ifServed(remote, 'settings of the namespace', () =>
    remote.service.call('GET', `${namespacePath(remote.namespace)}/config`),
  );
}

/** The names of the secrets. No server returns their values. */
export async function listSecrets(remote: Remote): Promise<string[] | undefined> {
  const path = `${namespacePath(remote.namespace)}/secrets`;
  const rows = await ifServed(remote, 'names of secrets', () => readList(remote.service, path, 'secrets'));
  return rows?.map((row) => textAt(row, 'name')).sort();
}

/** The addresses of the registries. No server returns their passwords. */
export async function listRegistries(remote: Remote): Promise<string[] | undefined> {
  const path = `/api/functions/registries/namespaces/${encodeURIComponent(remote.namespace)}`;
  const list = await ifServed(remote, 'names of registries', async () => {
    const found = at(await remote.service.call('GET', path), 'registries');
    return Array.isArray(found) ? found : undefined;
  });
  return list?.map((row) => textAt(row, 'name')).sort();
}

/** Name and image of each service. The other server may have no access to the images. */
export async function listServices(remote: Remote): Promise<string[] | undefined> {
  const path = `/api/functions/namespaces/${encodeURIComponent(remote.namespace)}`;
  const list = await ifServed(remote, 'names of services', async () => {
    const found = at(await remote.service.call('GET', path), 'functions');
    return Array.isArray(found) ? found : undefined;
  });
  return list?.map((row) => `${textAt(row, 'info', 'name')} ${textAt(row, 'info', 'image')}`.trim()).sort();
}

/** Whether the namespace exists. False also for a server whose reply is no list. */
export async function hasNamespace(remote: Remote): Promise<boolean> {
  const reply = await find(remote.service, `${namespacePath(remote.namespace)}/tree/`);
  return reply !== undefined && rowsAt(reply, 'children') !== undefined;
}
