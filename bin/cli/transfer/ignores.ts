/** A line of an ignore file: the paths that it matches, and whether it negates an earlier line. */
interface Pattern {
  readonly matches: RegExp;
  readonly isNegated: boolean;
  readonly isForDirectories: boolean;
}

/** Whether a path below the folder of the ignore file is excluded. A directory is tested before its contents. */
export type Ignores = (path: string, isDirectory: boolean) => boolean;

const SPECIAL = /[.+^${}()|[\]\\]/g;

/** `**` matches any number of folders; `*` and `?` match no slash (gitignore, "pattern format"). */
function toSource(pattern: string): string {
  return pattern
    .split('/')
    .map((segment) =>
      segment === '**' ? '**' : segment.replace(SPECIAL, '\\$&').replace(/\*+/g, '[^/]*').replace(/\?/g, '[^/]'),
    )
    .join('/')
    .replace(/^\*\*\//, '(?:.*/)?')
    .replace(/\/\*\*$/, '/.+')
    .replace(/\/\*\*\//g, '/(?:.*/)?')
    .replace(/^\*\*$/, '.*');
}

function toPattern(line: string): Pattern | undefined {
  const text = line.replace(/(?<!\\)\s+$/, '');
  if (text === '' || text.startsWith('#')) return undefined;
  const isNegated = text.startsWith('!');
  const bare = (isNegated ? text.slice(1) : text).replace(/^\\(?=[#!])/, '');
  const isForDirectories = bare.endsWith('/');
  const pattern = bare.replace(/\/$/, '');
  // A pattern with a slash inside matches only from the folder of the file on, any other at every depth.
  const isAnchored = pattern.includes('/');
  const source = toSource(pattern.replace(/^\//, ''));
  return { matches: new RegExp(`^${isAnchored ? '' : '(?:.*/)?'}${source}$`), isNegated, isForDirectories };
}

/** Reads an ignore file as Git does: the last matching line decides. Classes such as `[ab]` are plain text. */
export function toIgnores(text: string): Ignores {
  const patterns = text
    .split(/\r?\n/)
    .map(toPattern)
    .filter((one) => one !== undefined);
  return (path, isDirectory) => {
    const last = patterns.findLast((one) => (isDirectory || !one.isForDirectories) && one.matches.test(path));
    return last !== undefined && !last.isNegated;
  };
}
