import { type FamilyName, HOSTS, type LambdaName } from './families.ts';
import type { QueryName } from './queries.ts';
import type { InputName } from './shapes/inputs.ts';
import type { ReplyName } from './shapes/replies.ts';

export const METHODS = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

/**
 * The permission that a route requires. From `read` on each level includes those before it; `none` needs no key.
 * `worker`, to fetch and end tasks, is included in `run`, and includes no other.
 */
export const PERMISSIONS = ['none', 'worker', 'read', 'run', 'write', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** One row of the registry: everything about a route that the server and the CDK app need. The docs add a sentence (lib/api/docs). */
export interface Route {
  readonly family: FamilyName;
  readonly method: Method;
  /**
   * Below `/api`. `{name}` is one segment. `{name+}` is one or more segments; it may also be none, unless the path without
   * it is another route.
   */
  readonly path: string;
  /** The value of the query parameter `op` that selects this route among those with the same method and path. */
  readonly op?: string;
  readonly query?: readonly QueryName[];
  /** Default: none. */
  readonly body?: 'none' | 'bytes' | 'json';
  /** The maximum size of the body in bytes, if it is not the usual one. */
  readonly maxBytes?: number;
  /** The shape of a JSON body. */
  readonly input?: InputName;
  /** The fields of the JSON body in the audit log; default: none. Never a secret or a stored value of a user. */
  readonly audited?: readonly string[];
  /** The body may be left out. */
  readonly optional?: true;
  readonly reply: ReplyName;
  readonly permission: Permission;
  /** `true`: an event stream for clients that accept one. `only`: always an event stream. */
  readonly stream?: true | 'only';
  /** A request for a stream of a missing object gets a plain error reply; otherwise the stream has an error event. */
  readonly refusal?: 'plain';
  /** The shape of an event of the stream, if it is not the shape of the reply. */
  readonly frame?: ReplyName;
  /** It cancels or removes something, although its method is not DELETE. */
  readonly frees?: true;
  /** It is served below `/api` alone, not below `/api/v2`, which older clients use. */
  readonly unversioned?: true;
  /** The source of the requirement: the specification, existing clients, or Weft itself. */
  readonly from: 'specification' | 'clients' | 'weft';
}

type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
type Bare<Name extends string> = Name extends `${infer Stem}+` ? Stem : Name;

/** The parameters that a path template names: `'/a/{b}/{c+}'` has `b` and `c`. */
export type Params<Path extends string> = { readonly [Name in Bare<Names<Path>>]: string };

const TREE = '/namespaces/{namespace}/tree/';

/** As `lambdaOf`, for the type of a route. */
export type LambdaOf<R extends Pick<Route, 'family' | 'path'>> = R['path'] extends `${typeof TREE}${string}`
  ? 'tree'
  : R['family'] extends keyof typeof HOSTS
    ? (typeof HOSTS)[R['family']]
    : Extract<R['family'], LambdaName>;

const isHosted = (family: FamilyName): family is keyof typeof HOSTS => Object.hasOwn(HOSTS, family);

/**
 * The Lambda that serves a route. API Gateway distinguishes routes by method and path, not by query, so that all routes
 * that differ by their `op` share one Lambda.
 */
export function lambdaOf({ family, path }: Pick<Route, 'family' | 'path'>): LambdaName {
  if (path.startsWith(TREE)) return 'tree';
  return isHosted(family) ? HOSTS[family] : family;
}

/**
 * Whether a route needs no room for new data: it only reads, cancels or removes. While the disk of one machine is full, such
 * routes alone are served.
 */
export function isFrugal({ method, permission, path, frees }: Route): boolean {
  if (frees === true || method === 'DELETE') return true;
  // Webhooks need no key, and start runs by any method.
  return ['none', 'read'].includes(permission)
    ? !path.startsWith('/hooks/')
    : method === 'GET' && permission === 'admin';
}

/**
 * The resources of API Gateway for a path. There, a greedy parameter is the last segment and matches at least one segment,
 * so that a path which ends in one has two resources.
 */
export function gatewayPaths(path: string): string[] {
  const end = path.indexOf('+}');
  if (end < 0) return [path];
  const greedy = path.slice(0, end + 2);
  return greedy === path ? [greedy.slice(0, greedy.lastIndexOf('/')), greedy] : [greedy];
}
