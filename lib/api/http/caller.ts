import type { Permission } from '../../domain/credentials/api-keys.ts';
import type { Namespace } from '../../domain/namespaces/namespaces.ts';
import type { GroupGrant } from '../../ports/tokens.ts';

/** The caller of a request, with the rights of its key or of the groups in its token. */
export interface Caller {
  /** The id of the key; `admin` for the administrative one, `oidc:SUBJECT` of a token, empty without either. */
  readonly id: string;
  /** The name of the key, or of the user in a token; `admin` for the administrative key, empty without either. */
  readonly name: string;
  readonly permission: Permission;
  /** The names of the namespaces for which the key was made, or of the groups; empty: all. */
  readonly namespaces: readonly string[];
  /** The key is for some namespaces only. */
  readonly isRestricted: boolean;
  /** The rights of each group in a token, of which those count that include the namespace; absent with a key. */
  readonly grants?: readonly GroupGrant[];
  /** Whether the key can access a namespace. */
  canAccess(namespace: Pick<Namespace, 'id' | 'name' | 'created'>): boolean;
}

/** An authenticated caller, with the namespace of the request if there is one that the key can access. */
export interface Authenticated {
  readonly caller: Caller;
  readonly isAtHome: boolean;
}
