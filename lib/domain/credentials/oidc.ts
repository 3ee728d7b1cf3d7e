import { isSecureUrl } from '../../egress/addresses.ts';
import { isObject } from '../../language/json.ts';
import { parseJson } from '../../language/json-numbers.ts';
import { omitUndefined } from '../../language/omit-undefined.ts';
import { ownMember, textOf } from '../../language/own-members.ts';
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

function toGrant(group: string, value: unknown): GroupGrant {
  const { permission, namespaces, ...rest } = isObject(value) ? value : { permission: value };
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw new Error(`the group '${group}' has '${unknown}'; it has permission and namespaces`);
  if (!isPermission(permission)) {
    throw new Error(`the group '${group}' has no permission: one of ${PERMISSIONS.join(', ')}`);
  }
  if (namespaces === undefined) return { permission };
  const isList = Array.isArray(namespaces) && namespaces.length > 0;
  if (!isList || !namespaces.every((name) => typeof name === 'string' && isNamespaceName(name))) {
    throw new Error(`the 'namespaces' of the group '${group}' are no names of namespaces; leave them out for all`);
  }
  return { permission, namespaces };
}

function groupsIn(value: unknown): OidcSettings['groups'] {
  const entries = isObject(value) ? Object.entries(value) : [];
  if (entries.length === 0) {
    throw new Error('groups has no group; an example is {"admins":{"permission":"admin"}}');
  }
  return Object.fromEntries(entries.map(([group, grant]) => [group, toGrant(group, grant)]));
}

function audienceIn(value: unknown): string[] {
  const texts = typeof value === 'string' ? value.split(/[\s,]+/).filter((part) => part !== '') : value;
  if (Array.isArray(texts) && texts.length > 0 && texts.every((text) => typeof text === 'string' && text !== '')) {
    return texts;
  }
  throw new Error("audience is missing: the values of the claim 'aud' of tokens for this service");
}

function textIn(name: string, value: unknown): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw new Error(`${name} is no text`);
}

const MEMBERS: readonly string[] = ['issuer', 'audience', 'groups', 'groupsClaim', 'nameClaim', 'client'];

/**
 * Checks the settings of the sign-in by OpenID Connect: an object, or its JSON text. The grant of a group may be its
 * permission alone. Throws Error with a message for the operator that names the member.
 */
export function oidcIn(given: unknown): OidcSettings {
  const value = typeof given === 'string' ? parseJson(given) : given;
  if (!isObject(value)) throw new Error(`it is no object with ${MEMBERS.join(', ')}`);
  const unknown = Object.keys(value).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) throw new Error(`'${unknown}' is no member; the members are ${MEMBERS.join(', ')}`);
  const { issuer } = value;
  if (typeof issuer !== 'string' || !isSecureUrl(issuer)) {
    throw new Error(
      `issuer is '${textOf(issuer)}'; it must be a URL with https, such as https://id.example.com/realms/flows`,
    );
  }
  return omitUndefined({
    issuer,
    audience: audienceIn(value['audience']),
    groups: groupsIn(value['groups']),
    groupsClaim: textIn('groupsClaim', value['groupsClaim']),
    nameClaim: textIn('nameClaim', value['nameClaim']),
    client: textIn('client', value['client']),
  });
}
