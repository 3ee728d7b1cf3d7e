import { createHash } from 'node:crypto';
import { at, bytesAt, rowsAt, textAt, textsAt } from '../client/replies.ts';
import { namespacePath, readList, type Service, treePath } from '../client/service.ts';
import { CommandFailedError } from '../shell/command.ts';
import type { Route } from './wanted.ts';

/** A namespace of a server, and where to tell what the server cannot answer. */
export interface Remote {
  readonly service: Service;
  readonly namespace: string;
  /** Told once for each thing that is left out. */
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
  /** A part of a Git mirror: nothing may be written there. */
  readonly isReadOnly: boolean;
}

export interface RemoteWorkflow extends RemoteNode {
  readonly kind: 'workflow';
  readonly logger: string;
  readonly latest: RemoteRevision;
}

/** What the server knows of a workflow besides its latest source. */
export interface History {
  /** Those that have a name, without the latest; the oldest first. */
  readonly older: readonly RemoteRevision[];
  readonly isLatestSaved: boolean;
  /** Tag -> id of its revision. */
  readonly tags: ReadonlyMap<string, string>;
  readonly live: boolean;
  readonly routes: readonly Route[];
}

export interface RemoteVariable {
  readonly name: string;
  readonly size: number;
  /** SHA-256, hexadecimal; empty on servers that do not tell. */
  readonly checksum: string;
  readonly mimeType: string;
}

const MISSING = 404;
/** How servers say that they do not serve something: not to this key, not known, not so, not built. */
const NOT_SERVED: readonly (number | undefined)[] = [403, 404, 405, 406, 501];

export const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** The answer, or undefined where there is nothing. Throws CommandFailedError, ServiceUnreachableError. */
async function find(service: Service, path: string): Promise<unknown> {
  try {
    return await service.call('GET', path);
  } catch (error) {
    if (error instanceof CommandFailedError && error.status === MISSING) return undefined;
    throw error;
  }
}

/** What `read` answers; where the server does not serve it, a note is told and undefined answered. */
export async function ifServed<T>(
  remote: Remote,
  what: string,
  read: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const told = (reason: string) => remote.note(`${what}: the server does not tell (${reason}); left out`);
  try {
    const value = await read();
    if (value === undefined) told('no such list');
    return value;
  } catch (error) {
    if (!(error instanceof CommandFailedError) || !NOT_SERVED.includes(error.status)) throw error;
    told(error.message);
    return undefined;
  }
}

export const pathOf = ({ namespace }: Remote, path: string): string => treePath(namespace, path);

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

export const isWorkflow = (node: RemoteNode): node is RemoteWorkflow => node.kind === 'workflow';

/** What stands at a path; undefined: nothing. Throws CommandFailedError, ServiceUnreachableError. */
export async function findNode(remote: Remote, path: string): Promise<RemoteNode | RemoteWorkflow | undefined> {
  const reply = await find(remote.service, pathOf(remote, path));
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

/** What stands in a directory. Throws CommandFailedError, ServiceUnreachableError. */
export async function readChildren(remote: Remote, path: string): Promise<Child[]> {
  const rows = (await readList(remote.service, pathOf(remote, path), 'children')) ?? [];
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
    readList(remote.service, `${pathOf(remote, path)}?op=${op}`),
  );
  return rows?.map((row) => textAt(row, 'name')).filter((name) => name !== '' && name !== LATEST);
}

async function readRouter(remote: Remote, path: string): Promise<Pick<History, 'live' | 'routes'>> {
  const reply = await ifServed(remote, `router of ${path}`, async () => {
    const found = await remote.service.call('GET', `${pathOf(remote, path)}?op=router`);
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

/** Revisions, tags and router of a workflow; what the server does not tell is left out with a note. */
export async function readHistory(remote: Remote, path: string, { latest }: RemoteWorkflow): Promise<History> {
  const saved = (await readNames(remote, path, 'revisions')) ?? [];
  const names = (await readNames(remote, path, 'tags')) ?? [];
  const byId = new Map<string, RemoteRevision>();
  const tags = new Map<string, string>();
  for (const name of [...saved, ...names]) {
    const revision =
      name === latest.id
        ? latest
        : toRevision(await remote.service.call('GET', `${pathOf(remote, path)}?ref=${encodeURIComponent(name)}`));
    byId.set(revision.id, { ...revision, isSaved: saved.includes(revision.id) });
    if (names.includes(name)) tags.set(name, revision.id);
  }
  const isLatestSaved = saved.includes(latest.id);
  byId.delete(latest.id);
  const older = [...byId.values()].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  return { older, isLatestSaved, tags, ...(await readRouter(remote, path)) };
}

/** Where the variables of the namespace or of a workflow are. */
export const variablesOf = (remote: Remote, workflow?: string): string =>
  workflow === undefined ? `${namespacePath(remote.namespace)}/vars` : `${pathOf(remote, workflow)}?op=vars`;

/** Where one variable is. */
export function variablePath(remote: Remote, name: string, op: 'var' | 'set-var', workflow?: string): string {
  const encoded = encodeURIComponent(name);
  return workflow === undefined
    ? `${namespacePath(remote.namespace)}/vars/${encoded}`
    : `${pathOf(remote, workflow)}?op=${op}&var=${encoded}`;
}

/** The variables of the namespace or of a workflow; undefined where the server has no such list. */
export async function listVariables(remote: Remote, workflow?: string): Promise<RemoteVariable[] | undefined> {
  const what = `variables of ${workflow ?? 'the namespace'}`;
  const rows = await ifServed(remote, what, () => readList(remote.service, variablesOf(remote, workflow), 'variables'));
  const variables = rows?.map((row) => ({
    name: textAt(row, 'name'),
    size: Number(textAt(row, 'size')),
    checksum: textAt(row, 'checksum'),
    mimeType: textAt(row, 'mimeType'),
  }));
  return variables?.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The settings of the namespace as the server tells them. */
export function readConfig(remote: Remote): Promise<unknown> {
  return ifServed(remote, 'settings of the namespace', () =>
    remote.service.call('GET', `${namespacePath(remote.namespace)}/config`),
  );
}

/** The names of the secrets; nobody is told their values. */
export async function listSecrets(remote: Remote): Promise<string[] | undefined> {
  const path = `${namespacePath(remote.namespace)}/secrets`;
  const rows = await ifServed(remote, 'names of secrets', () => readList(remote.service, path, 'secrets'));
  return rows?.map((row) => textAt(row, 'name')).sort();
}

/** The addresses of the registries; nobody is told their passwords. */
export async function listRegistries(remote: Remote): Promise<string[] | undefined> {
  const path = `/api/functions/registries/namespaces/${encodeURIComponent(remote.namespace)}`;
  const list = await ifServed(remote, 'names of registries', async () => {
    const found = at(await remote.service.call('GET', path), 'registries');
    return Array.isArray(found) ? found : undefined;
  });
  return list?.map((row) => textAt(row, 'name')).sort();
}

/** Services are made again by hand: what they run is an image that the other server may not reach. */
export async function listServices(remote: Remote): Promise<string[] | undefined> {
  const path = `/api/functions/namespaces/${encodeURIComponent(remote.namespace)}`;
  const list = await ifServed(remote, 'names of services', async () => {
    const found = at(await remote.service.call('GET', path), 'functions');
    return Array.isArray(found) ? found : undefined;
  });
  return list?.map((row) => `${textAt(row, 'info', 'name')} ${textAt(row, 'info', 'image')}`.trim()).sort();
}

/** Throws CommandFailedError unless the namespace is there; what answers with no list is no server of ours. */
export async function hasNamespace(remote: Remote): Promise<boolean> {
  const reply = await find(remote.service, `${namespacePath(remote.namespace)}/tree/`);
  return reply !== undefined && rowsAt(reply, 'children') !== undefined;
}
