/** An operation of a JSON Patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

type Data = Readonly<Record<string, unknown>>;

const pointerOf = (key: string): string => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The patch from one object to another, by their members; empty for equal objects. */
export function patchOf(before: Data, after: Data): readonly PatchOperation[] {
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  const set = Object.entries(after).flatMap(([key, value]): PatchOperation[] => {
    const path = pointerOf(key);
    if (!Object.hasOwn(before, key)) return [{ op: 'add', path, value }];
    return JSON.stringify(before[key]) === JSON.stringify(value) ? [] : [{ op: 'replace', path, value }];
  });
  return [...removed.map((key): PatchOperation => ({ op: 'remove', path: pointerOf(key) })), ...set];
}
