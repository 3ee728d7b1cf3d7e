import { isObject, setMember } from '../json.ts';
import { ownMember } from '../own-members.ts';

/** A value that a schema adds to data: the default of a member, or of an item at the end of a list, that is missing. */
export interface Addition {
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** The members and items of a value that another one lacks, which has all others in common with it. */
export function additionsTo(before: unknown, after: unknown, path: Addition['path'] = []): readonly Addition[] {
  if (Array.isArray(before) && Array.isArray(after)) {
    return after.flatMap((item: unknown, index) =>
      index < before.length
        ? additionsTo(before[index], item, [...path, index])
        : { path: [...path, index], value: item },
    );
  }
  if (!isObject(before) || !isObject(after)) return [];
  return Object.entries(after).flatMap(([name, member]) =>
    Object.hasOwn(before, name)
      ? additionsTo(ownMember(before, name), member, [...path, name])
      : { path: [...path, name], value: member },
  );
}

/** Adds to data, which it changes. Numbers keep all their digits, and a large list is not copied. */
export function addTo(data: Record<string, unknown>, additions: readonly Addition[]): void {
  for (const { path, value } of additions) {
    const name = path.at(-1) ?? '';
    const holder = path.slice(0, -1).reduce<unknown>((inner, key) => memberOf(inner, key), data);
    if (Array.isArray(holder)) holder.push(value);
    else setMember(holder as Record<string, unknown>, String(name), value);
  }
}

const memberOf = (data: unknown, key: string | number): unknown =>
  Array.isArray(data) ? data[Number(key)] : ownMember(data as Record<string, unknown>, String(key));
