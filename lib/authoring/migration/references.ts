import { posix } from 'node:path';

/** The names by which the workflows of a folder can be called. */
export interface Names {
  /** The path of the workflow that calls, in the tree. */
  readonly path: string;
  /** The paths of all workflows after the migration, without a leading slash. */
  readonly nodes: ReadonlySet<string>;
  /** The paths after the migration by the paths before it, with and without extension. */
  readonly moved: ReadonlyMap<string, string>;
  /** The paths after the migration by the `id` that the texts of v0.5 had. */
  readonly ids: ReadonlyMap<string, string>;
  /** The extension of a file is a part of its name in the tree. */
  readonly keepsExtension: boolean;
}

const EXTENSION = /\.ya?ml$/;

/** A name of a node as the language requires it: lower-case letters, digits, dashes and dots. */
export function toNodeName(name: string): string {
  const dashed = name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
  return dashed.replace(/[^a-z0-9_.-]+/g, '-').replace(/^[^a-z]+|[^a-z0-9]+$/g, '');
}

/**
 * Returns how a subflow is called after the migration, and the reason; undefined if it is called by its name already or
 * the folder does not contain it.
 */
export function resolveReference(target: string, names: Names): { to: string; reason: string } | undefined {
  const [written = '', ...refs] = target.split(':');
  const ref = refs.map((one) => `:${one}`).join('');
  const path = posix
    .normalize(written.startsWith('/') ? written : posix.join('/', posix.dirname(names.path), written))
    .replace(/^\/+/, '');
  if (names.nodes.has(path)) return undefined;
  const bare = path.replace(EXTENSION, '');
  const extension = ['.yaml', '.yml'].find((one) => names.nodes.has(bare + one));
  if (names.nodes.has(bare)) {
    return { to: written.replace(EXTENSION, '') + ref, reason: 'names in the tree have no extension' };
  }
  if (extension !== undefined) {
    return { to: written.replace(EXTENSION, '') + extension + ref, reason: 'names in the tree have their extension' };
  }
  const moved = names.moved.get(path) ?? names.moved.get(bare);
  if (moved !== undefined) return { to: `/${moved}${ref}`, reason: 'the workflow was renamed' };
  const byId = names.ids.get(written.replace(/^\/+/, ''));
  if (byId !== undefined) return { to: `/${byId}${ref}`, reason: `its 'id' was '${written}'` };
  if (names.keepsExtension || !EXTENSION.test(written)) return undefined;
  return {
    to: written.replace(EXTENSION, '') + ref,
    reason: 'names in the tree have no extension; this folder has no such workflow',
  };
}
