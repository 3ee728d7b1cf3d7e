/** A line of an ignore file: the paths that it matches, and whether it negates an earlier line. */
interface Pattern {
  readonly segments: readonly string[];
  readonly isNegated: boolean;
  readonly isForDirectories: boolean;
}

/** Whether a path below the folder of the ignore file is excluded. A directory is tested before its contents. */
export type Ignores = (path: string, isDirectory: boolean) => boolean;

const ANY_FOLDERS = '**';

/**
 * Whether the parts match a pattern in which `wildcard` stands for any number of parts. Only the last wildcard can be tried
 * with another number, so the time is at most the product of the lengths: a regular expression would need exponential time
 * for patterns that a repository may contain.
 */
function isMatch<T>(
  pattern: ArrayLike<T>,
  parts: ArrayLike<T>,
  wildcard: T,
  isEqual: (one: T, part: T) => boolean,
): boolean {
  let at = 0;
  let afterWildcard = -1;
  let triedFrom = 0;
  for (let read = 0; read < parts.length; ) {
    const one = pattern[at];
    if (at < pattern.length && one === wildcard) {
      at += 1;
      afterWildcard = at;
      triedFrom = read;
    } else if (at < pattern.length && isEqual(one as T, parts[read] as T)) {
      at += 1;
      read += 1;
    } else if (afterWildcard >= 0) {
      triedFrom += 1;
      read = triedFrom;
      at = afterWildcard;
    } else {
      return false;
    }
  }
  while (at < pattern.length && pattern[at] === wildcard) at += 1;
  return at === pattern.length;
}

const isSegment = (pattern: string, segment: string): boolean =>
  isMatch(pattern, segment, '*', (one, character) => one === '?' || one === character);

/** `**` matches any number of folders, at the end at least one file; `*` and `?` match no slash (gitignore, "pattern format"). */
function segmentsOf(pattern: string, isAnchored: boolean): string[] {
  const own = pattern.split('/');
  return [...(isAnchored ? [] : [ANY_FOLDERS]), ...own, ...(own.at(-1) === ANY_FOLDERS ? ['*'] : [])];
}

/** Without spaces at the end, except one after a backslash. */
function withoutEnd(line: string): string {
  const text = line.trimEnd();
  return text.endsWith('\\') ? line.slice(0, text.length + 1) : text;
}

function toPattern(line: string): Pattern | undefined {
  const text = withoutEnd(line);
  if (text === '' || text.startsWith('#')) return undefined;
  const isNegated = text.startsWith('!');
  const bare = (isNegated ? text.slice(1) : text).replace(/^\\(?=[#!])/, '');
  const isForDirectories = bare.endsWith('/');
  const pattern = bare.replace(/\/$/, '');
  // A pattern with a slash inside matches only from the folder of the file on, any other at every depth.
  const isAnchored = pattern.includes('/');
  return { segments: segmentsOf(pattern.replace(/^\//, ''), isAnchored), isNegated, isForDirectories };
}

/** Reads an ignore file as Git does: the last matching line decides. Classes such as `[ab]` are plain text. */
export function toIgnores(text: string): Ignores {
  const patterns = text
    .split(/\r?\n/)
    .map(toPattern)
    .filter((one) => one !== undefined);
  return (path, isDirectory) => {
    const parts = path.split('/');
    const last = patterns.findLast(
      (one) => (isDirectory || !one.isForDirectories) && isMatch(one.segments, parts, ANY_FOLDERS, isSegment),
    );
    return last !== undefined && !last.isNegated;
  };
}
