import { readFile } from 'node:fs/promises';
import { at, textAt } from '../client/replies.ts';
import { namespacePath } from '../client/service.ts';
import { CommandFailedError } from '../shell/command.ts';
import { pathOf, type Remote, variablePath } from './remote.ts';
import type { WantedVariable } from './wanted.ts';

/** A ref of a workflow: by a name that means the same on every server, or by the source of the revision. */
export type Ref = { readonly name: string } | { readonly hash: string };

/** One call that changes the server, as data: a plan is looked at before it is carried out. */
export type Act =
  | { readonly do: 'create-namespace' }
  | { readonly do: 'configure'; readonly config: Readonly<Record<string, Readonly<Record<string, unknown>>>> }
  | { readonly do: 'create-directory'; readonly path: string }
  | {
      readonly do: 'store';
      readonly path: string;
      readonly how: 'create' | 'update';
      readonly file: string;
      readonly hash: string;
    }
  | { readonly do: 'save'; readonly path: string }
  | {
      readonly do: 'tag';
      readonly path: string;
      readonly tag: string;
      readonly ref: Ref;
      readonly how: 'tag' | 'retag';
    }
  | {
      readonly do: 'route';
      readonly path: string;
      readonly live: boolean;
      readonly routes: readonly (Ref & { readonly weight: number })[];
    }
  | { readonly do: 'switch'; readonly path: string; readonly live: boolean }
  | { readonly do: 'log-to'; readonly path: string; readonly logger: string }
  | { readonly do: 'label'; readonly path: string; readonly attributes: readonly string[] }
  | { readonly do: 'set-variable'; readonly workflow?: string; readonly variable: WantedVariable };

/** What the server calls the revisions of a workflow, by their source: learnt while acting, as the server gives ids. */
export type Names = Map<string, string>;

type Performers = {
  readonly [Kind in Act['do']]: (
    remote: Remote,
    act: Extract<Act, { readonly do: Kind }>,
    names: Names,
  ) => Promise<unknown>;
};

function nameOf(ref: Ref, names: Names): string {
  if ('name' in ref) return ref.name;
  const name = names.get(ref.hash);
  if (name === undefined) throw new CommandFailedError('the revision has no name on this server');
  return name;
}

/** The server answers the id of what it stored; an older revision of the same source keeps the name it has. */
async function store(remote: Remote, { path, how, file, hash }: Extract<Act, { do: 'store' }>, names: Names) {
  const method = how === 'create' ? 'PUT' : 'POST';
  const body = await readFile(file);
  const reply = await remote.service.put(method, `${pathOf(remote, path)}?op=${how}-workflow`, { body });
  names.set(hash, textAt(reply, 'revision', 'name'));
}

/** Settings that this server does not know are left out: of a new namespace, only now they can be asked for. */
async function configure({ service, namespace, note }: Remote, { config }: Extract<Act, { do: 'configure' }>) {
  const path = `${namespacePath(namespace)}/config`;
  const known = at(await service.call('GET', path), 'broadcast');
  const { broadcast = {}, ...others } = config;
  const isKnown = (key: string) => at(known, key) !== undefined;
  const unknown = Object.keys(broadcast).filter((key) => !isKnown(key));
  if (unknown.length > 0) note(`settings: this server knows no ${unknown.join(', ')}; left out`);
  const kept = Object.fromEntries(Object.entries(broadcast).filter(([key]) => isKnown(key)));
  return service.call('PATCH', path, { ...others, broadcast: kept });
}

const query = (entries: Readonly<Record<string, string>>): string => String(new URLSearchParams(entries));

const PERFORMERS: Performers = {
  'create-namespace': ({ service, namespace }) => service.call('PUT', namespacePath(namespace)),
  configure,
  'create-directory': (remote, { path }) => remote.service.call('PUT', `${pathOf(remote, path)}?op=create-directory`),
  store,
  save: (remote, { path }) => remote.service.call('POST', `${pathOf(remote, path)}?op=save-workflow&ref=latest`),
  tag: (remote, { path, tag, ref, how }, names) =>
    remote.service.call('POST', `${pathOf(remote, path)}?${query({ op: how, ref: nameOf(ref, names), tag })}`),
  route: (remote, { path, live, routes }, names) => {
    const route = routes.map(({ weight, ...ref }) => ({ ref: nameOf(ref, names), weight }));
    return remote.service.call('POST', `${pathOf(remote, path)}?op=edit-router`, { live, route });
  },
  switch: (remote, { path, live }) => remote.service.call('POST', `${pathOf(remote, path)}?op=toggle`, { live }),
  'log-to': (remote, { path, logger }) =>
    remote.service.call('POST', `${pathOf(remote, path)}?op=set-workflow-event-logging`, { logger }),
  label: (remote, { path, attributes }) =>
    remote.service.call('PUT', `${pathOf(remote, path)}?op=create-node-attributes`, { attributes }),
  'set-variable': async (remote, { workflow, variable: { name, file, mimeType } }) => {
    const headers: Record<string, string> = mimeType === undefined ? {} : { 'Content-Type': mimeType };
    const path = variablePath(remote, name, 'set-var', workflow);
    return remote.service.put('PUT', path, { body: await readFile(file), headers });
  },
};

/** Carries out one act. Throws CommandFailedError, ServiceUnreachableError. */
export async function perform<Kind extends Act['do']>(
  remote: Remote,
  act: Extract<Act, { readonly do: Kind }>,
  names: Names,
): Promise<void> {
  const performer = PERFORMERS[act.do] as Performers[Kind];
  await performer(remote, act, names);
}
