import { isObject, setMember } from '../json.ts';
import { ownMember } from '../own-members.ts';

type Members = Readonly<Record<string, unknown>>;

/** What the defaults of a schema add to a value: the members and items that it lacks, and additions to those that it has. */
export interface Additions {
  readonly values: Members;
  readonly within: Readonly<Record<string, Additions>>;
}

const isContainer = (value: unknown): value is Members => Array.isArray(value) || isObject(value);

/** What a value lacks of another one, which has all its members and items; undefined: nothing. */
export function additionsTo(before: unknown, after: unknown): Additions | undefined {
  if (!isContainer(before) || !isContainer(after)) return undefined;
  const values: Record<string, unknown> = {};
  const within: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(after)) {
    if (!Object.hasOwn(before, name)) setMember(values, name, member);
    const inner = additionsTo(ownMember(before, name), member);
    if (inner !== undefined) setMember(within, name, inner);
  }
  const isEmpty = Object.keys(values).length + Object.keys(within).length === 0;
  return isEmpty ? undefined : { values, within: within as Additions['within'] };
}

/** A copy of data with additions. It shares the parts that they do not change, and numbers keep all their digits. */
export function withAdditions<T>(data: T, { values, within }: Additions): T {
  const filled = (Array.isArray(data) ? [...data] : { ...data }) as Record<string, unknown>;
  for (const [name, value] of Object.entries(values)) setMember(filled, name, value);
  for (const [name, inner] of Object.entries(within))
    setMember(filled, name, withAdditions(ownMember(filled, name), inner));
  return filled as T;
}
