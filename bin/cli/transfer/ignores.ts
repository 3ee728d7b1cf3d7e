/** A line of an ignore file: what it matches, and whether it takes back what a line before it ignored. */
interface Pattern {
  readonly matches: RegExp;
  readonly isTakenBack: boolean;
  readonly isForDirectories: boolean;
}

/** Tells whether a path below the folder of the ignore file is left out; directories are asked before what is in them. */
export type Ignores = (path: string, isDirectory: boolean) => boolean;

const SPECIAL = /[.+^${}()|[\]\\]/g;

/** `**` stands for any number of folders, `*` and `?` do not match a slash (gitignore, "pattern format"). */
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
  const isTakenBack = text.startsWith('!');
  const bare = (isTakenBack ? text.slice(1) : text).replace(/^\\(?=[#!])/, '');
  const isForDirectories = bare.endsWith('/');
  const pattern = bare.replace(/\/$/, '');
  // A slash within binds the pattern to the folder of the file; else it matches at any depth.
  const isBound = pattern.includes('/');
  const source = toSource(pattern.replace(/^\//, ''));
  return { matches: new RegExp(`^${isBound ? '' : '(?:.*/)?'}${source}$`), isTakenBack, isForDirectories };
}

/** Reads the text of an ignore file as Git does: the last line that matches counts. Classes like `[ab]` are plain text. */
export function toIgnores(text: string): Ignores {
  const patterns = text
    .split(/\r?\n/)
    .map(toPattern)
    .filter((one) => one !== undefined);
  return (path, isDirectory) => {
    const last = patterns.findLast((one) => (isDirectory || !one.isForDirectories) && one.matches.test(path));
    return last !== undefined && !last.isTakenBack;
  };
}
