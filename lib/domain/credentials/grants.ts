import { isObject } from '../../language/json.ts';
import { ownMember } from '../../language/own-members.ts';
import type { GroupGrant, OidcSettings } from '../../ports/tokens.ts';
import { isNamespaceName } from '../names.ts';
import { PERMISSIONS, type Permission } from './api-keys.ts';

/** The rights of a caller with a token, for a request. */
export interface Rights {
  readonly permission: Permission;
  /** The names of the namespaces; empty: all. */
  readonly namespaces: readonly string[];
}

/** Whether a grant includes all namespaces. */
export const isForAll = ({ namespaces = [] }: GroupGrant): boolean => namespaces.length === 0;

/** Whether a grant includes the namespace of this name. */
export const covers = (grant: GroupGrant, name: string): boolean =>
  isForAll(grant) || grant.namespaces?.includes(name) === true;

const rankOf = ({ permission }: GroupGrant): number => PERMISSIONS.indexOf(permission);

/** The grants of the groups of a token; groups without one count for nothing. */
export const grantsOf = (settings: Pick<OidcSettings, 'groups'>, groups: readonly string[]): GroupGrant[] =>
  groups.flatMap((group) => ownMember(settings.groups, group) ?? []);

/**
 * What grants, at least one, permit in the namespace of this name: the strongest permission among those that include it. For a
 * request without a namespace, and for a namespace that none includes: the strongest among those for all namespaces or, if
 * there are none, the strongest of all, for their namespaces.
 */
export function rightsOf(grants: readonly GroupGrant[], namespace: string | undefined): Rights {
  const here = namespace === undefined ? [] : grants.filter((grant) => covers(grant, namespace));
  const everywhere = grants.filter(isForAll);
  const counted = [here, everywhere].find(({ length }) => length > 0) ?? grants;
  const [strongest] = counted.toSorted((a, b) => rankOf(b) - rankOf(a));
  const names = everywhere.length > 0 ? [] : grants.flatMap(({ namespaces = [] }) => namespaces);
  return { permission: strongest?.permission ?? 'read', namespaces: [...new Set(names)] };
}

const isPermission = (value: unknown): value is Permission => PERMISSIONS.some((one) => one === value);

/** `of`: who has the grant, for errors. */
function toGrant(of: string, value: unknown): GroupGrant {
  const { permission, namespaces, ...rest } = isObject(value) ? value : { permission: value };
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw new Error(`${of} has '${unknown}'; it has permission and namespaces`);
  if (!isPermission(permission)) {
    throw new Error(`${of} has no permission: one of ${PERMISSIONS.join(', ')}`);
  }
  if (namespaces === undefined) return { permission };
  const isList = Array.isArray(namespaces) && namespaces.length > 0;
  if (!isList || !namespaces.every((name) => typeof name === 'string' && isNamespaceName(name))) {
    throw new Error(`the 'namespaces' of ${of} are no names of namespaces; leave them out for all`);
  }
  return { permission, namespaces };
}

/**
 * Checks a table of grants: an object whose members are permissions, or objects with a permission and namespaces. `noun`: what
 * has a grant, `empty`: the message if there is none. Throws Error with a message for the operator.
 */
export function grantsIn(noun: string, value: unknown, empty: string): Readonly<Record<string, GroupGrant>> {
  const entries = isObject(value) ? Object.entries(value) : [];
  if (entries.length === 0) throw new Error(empty);
  return Object.fromEntries(entries.map(([name, grant]) => [name, toGrant(`the ${noun} '${name}'`, grant)]));
}
