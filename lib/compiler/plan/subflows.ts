/** A function that calls another workflow. */
export interface SubflowPlan {
  readonly type: 'subflow';
  /** A path as it is; with `allowed` a query, evaluated over the data of the action. */
  readonly workflow: string;
  /** The paths that the query may give, as patterns of `isAllowedPath`. */
  readonly allowed?: readonly string[];
}

/** Whether a part of a path fits a part of a pattern, in which one `*` may stand for any characters. */
function fitsPart(pattern: string, text: string): boolean {
  const [before = '', after] = pattern.split('*');
  if (after === undefined) return pattern === text;
  return text.length >= before.length + after.length && text.startsWith(before) && text.endsWith(after);
}

/**
 * Whether a path is one of those that a pattern of `allowed` stands for. Both are resolved from the same folder. A `*`
 * stands for any characters of one part of the path; the ref after a colon must fit that of the pattern.
 */
export function isAllowedPath(pattern: string, path: string): boolean {
  const [named = '', ref = ''] = pattern.split(':');
  const [wanted = '', wantedRef = ''] = path.split(':');
  const [parts, wantedParts] = [named.split('/'), wanted.split('/')];
  if (parts.length !== wantedParts.length || !fitsPart(ref, wantedRef)) return false;
  return parts.every((part, index) => fitsPart(part, wantedParts[index] ?? ''));
}
