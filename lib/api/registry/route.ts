import type { FamilyName } from './families.ts';
import type { QueryName } from './queries.ts';
import type { InputName } from './shapes/inputs.ts';
import type { ReplyName } from './shapes/replies.ts';

export const METHODS = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

/** What a key must be allowed to do. Each level includes those before it; `none` asks for no key at all. */
export const PERMISSIONS = ['none', 'read', 'run', 'write', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** One row of the registry: everything that is said about a route, said once. */
export interface Route {
  readonly family: FamilyName;
  readonly method: Method;
  /**
   * Below `/api`. `{name}` is one segment; `{name+}` is any number of them and, unless the path without it is a route
   * of its own, none.
   */
  readonly path: string;
  /** The value of the query parameter `op` that chooses this row among those of one method and path. */
  readonly op?: string;
  readonly query?: readonly QueryName[];
  /** Default: none. */
  readonly body?: 'none' | 'bytes' | 'json';
  /** The longest body, in bytes, where it is more than usual. */
  readonly largest?: number;
  /** Shape of a JSON body. */
  readonly input?: InputName;
  /** The request may come without its body. */
  readonly optional?: true;
  readonly reply: ReplyName;
  readonly permission: Permission;
  /** `true`: as an event stream too, for clients that accept one. `only`: always as an event stream. */
  readonly stream?: true | 'only';
  /** Who asks for a stream of what is not there gets a plain reply, elsewhere a stream with an error in it. */
  readonly refusal?: 'plain';
  /** Shape of a frame of the stream, where it is not the shape of the reply. */
  readonly frame?: ReplyName;
  /** Whose wish it is: the specification's, that of clients in use, or our own. */
  readonly from: 'specification' | 'clients' | 'weft';
  readonly about: string;
}

type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
type Bare<Name extends string> = Name extends `${infer Stem}+` ? Stem : Name;

/** The parameters that a path template names: `'/a/{b}/{c+}'` has `b` and `c`. */
export type Params<Path extends string> = { readonly [Name in Bare<Names<Path>>]: string };

const TREE = '/namespaces/{namespace}/tree/';

/**
 * The family whose Lambda serves a route. API Gateway tells routes apart by method and path alone, never by query,
 * so whatever hangs on a path of the tree by its `op` shares one Lambda.
 */
export function lambdaOf(route: Pick<Route, 'family' | 'path'>): FamilyName {
  return route.path.startsWith(TREE) ? 'tree' : route.family;
}

/**
 * The resources of API Gateway that bring a route's requests in. There a greedy parameter must come last and never
 * matches nothing, so a path that ends in one has two resources.
 */
export function gatewayPaths(path: string): string[] {
  const end = path.indexOf('+}');
  if (end < 0) return [path];
  const greedy = path.slice(0, end + 2);
  return greedy === path ? [greedy.slice(0, greedy.lastIndexOf('/')), greedy] : [greedy];
}
