import { readFile } from 'node:fs/promises';
import { at, textAt } from '../client/replies.ts';
import { namespacePath } from '../client/service.ts';
import { CommandFailedError } from '../shell/command.ts';
import type { DesiredVariable } from './desired-state.ts';
import { type Remote, treePathOf, variablePath } from './remote.ts';

/** A revision of a workflow: by a name that means the same on every server, or by the hash of its source. */
export type Ref = { readonly name: string } | { readonly hash: string };

/** One call that changes the server, as data: a plan can be printed before it is applied. */
export type Operation =
  | { readonly do: 'create-namespace' }
  | { readonly do: 'configure'; readonly config: Readonly<Record<string, unknown>> }
  | { readonly do: 'create-directory'; readonly path: string }
  | {
      readonly do: 'store-revision';
      readonly path: string;
      readonly how: 'create' | 'update';
      readonly file: string;
      readonly hash: string;
    }
  | { readonly do: 'save-revision'; readonly path: string }
  | {
      readonly do: 'tag-revision';
      readonly path: string;
      readonly tag: string;
      readonly ref: Ref;
      readonly how: 'tag' | 'retag';
    }
  | {
      readonly do: 'edit-router';
      readonly path: string;
      readonly live: boolean;
      readonly routes: readonly (Ref & { readonly weight: number })[];
    }
  | { readonly do: 'delete-workflow'; readonly path: string }
  | { readonly do: 'toggle'; readonly path: string; readonly live: boolean }
  | { readonly do: 'set-logger'; readonly path: string; readonly logger: string }
  | { readonly do: 'add-attributes'; readonly path: string; readonly attributes: readonly string[] }
  | { readonly do: 'set-variable'; readonly workflow: string | undefined; readonly variable: DesiredVariable };

type Kind = Operation['do'];
type OperationOf<K extends Kind> = Extract<Operation, { readonly do: K }>;

/** The server's names of revisions, by the hash of their source. The server gives a name when it stores a revision. */
export type RevisionNames = Map<string, string>;

type Handler<K extends Kind> = (remote: Remote, operation: OperationOf<K>, names: RevisionNames) => Promise<unknown>;

function nameOf(ref: Ref, names: RevisionNames): string {
  if ('name' in ref) return ref.name;
  const name = names.get(ref.hash);
  if (name === undefined) throw new CommandFailedError('the revision has no name on this server');
  return name;
}

/** Stores a revision and notes its name. A revision with an unchanged source keeps the name it has. */
const storeRevision: Handler<'store-revision'> = async (remote, { path, how, file, hash }, names) => {
  const method = how === 'create' ? 'PUT' : 'POST';
  const body = await readFile(file);
  const reply = await remote.service.upload(method, `${treePathOf(remote, path)}?op=${how}-workflow`, { body });
  names.set(hash, textAt(reply, 'revision', 'name'));
};

/** The statuses of a setting that the server does not know, or that only an administrator changes. */
const NOT_SET: readonly (number | undefined)[] = [400, 403];

/** Leaves out settings that the server does not know, or the caller may not change: those of a new namespace can be read only after its creation. */
const configure: Handler<'configure'> = async ({ service, namespace, note }, { config }) => {
  const path = `${namespacePath(namespace)}/config`;
  const known = at(await service.call('GET', path), 'broadcast');
  const { broadcast = {}, ...others } = config as { readonly broadcast?: Readonly<Record<string, unknown>> };
  const isKnown = (key: string) => at(known, key) !== undefined;
  const unknown = Object.keys(broadcast).filter((key) => !isKnown(key));
  if (unknown.length > 0) note(`settings: this server has no ${unknown.join(', ')}; left out`);
  const kept = Object.fromEntries(Object.entries(broadcast).filter(([key]) => isKnown(key)));
  if (Object.keys(kept).length > 0) await service.call('PATCH', path, { broadcast: kept });
  for (const [setting, value] of Object.entries(others)) {
    await service.call('PATCH', path, { [setting]: value }).catch((error: unknown) => {
      if (!(error instanceof CommandFailedError) || !NOT_SET.includes(error.status)) throw error;
      note(`settings: ${setting} is left out: ${error.message}`);
    });
  }
};

const query = (entries: Readonly<Record<string, string>>): string => String(new URLSearchParams(entries));

const HANDLERS: { readonly [K in Kind]: Handler<K> } = {
  'create-namespace': ({ service, namespace }) => service.call('PUT', namespacePath(namespace)),
  configure,
  'create-directory': (remote, { path }) =>
    remote.service.call('PUT', `${treePathOf(remote, path)}?op=create-directory`),
  'store-revision': storeRevision,
  'save-revision': (remote, { path }) =>
    remote.service.call('POST', `${treePathOf(remote, path)}?op=save-workflow&ref=latest`),
  'tag-revision': (remote, { path, tag, ref, how }, names) =>
    remote.service.call('POST', `${treePathOf(remote, path)}?${query({ op: how, ref: nameOf(ref, names), tag })}`),
  'edit-router': (remote, { path, live, routes }, names) => {
    const route = routes.map(({ weight, ...ref }) => ({ ref: nameOf(ref, names), weight }));
    return remote.service.call('POST', `${treePathOf(remote, path)}?op=edit-router`, { live, route });
  },
  'delete-workflow': (remote, { path }) => remote.service.call('DELETE', `${treePathOf(remote, path)}?op=delete-node`),
  toggle: (remote, { path, live }) => remote.service.call('POST', `${treePathOf(remote, path)}?op=toggle`, { live }),
  'set-logger': (remote, { path, logger }) =>
    remote.service.call('POST', `${treePathOf(remote, path)}?op=set-workflow-event-logging`, { logger }),
  'add-attributes': (remote, { path, attributes }) =>
    remote.service.call('PUT', `${treePathOf(remote, path)}?op=create-node-attributes`, { attributes }),
  'set-variable': async (remote, { workflow, variable: { name, file, mimeType } }) => {
    const headers: Record<string, string> = mimeType === undefined ? {} : { 'Content-Type': mimeType };
    const path = variablePath(remote, name, 'set-var', workflow);
    return remote.service.upload('PUT', path, { body: await readFile(file), headers });
  },
};

/** Applies one operation. Throws CommandFailedError, ServiceUnreachableError. */
export async function applyOperation<K extends Kind>(
  remote: Remote,
  operation: OperationOf<K>,
  names: RevisionNames,
): Promise<void> {
  // `do` selects the handler of the operation; the types cannot express that they belong together.
  const handler = HANDLERS[operation.do] as Handler<K>;
  await handler(remote, operation, names);
}
