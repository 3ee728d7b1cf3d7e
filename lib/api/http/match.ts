import type { Route } from '../registry/route.ts';
import { type RouteId, rows } from '../registry/routes/index.ts';

type Query = Readonly<Record<string, readonly string[] | undefined>> & { readonly op?: readonly string[] };

/** The route of a request, or the reply to a request without one. */
export type Match =
  | {
      readonly id: RouteId;
      readonly route: Route;
      /** Decoded. A greedy parameter keeps the slashes between its segments, and has none at its ends. */
      readonly params: Readonly<Record<string, string>>;
      /** The path ended in a slash: of secrets, this is the name of a folder. */
      readonly endsInSlash: boolean;
    }
  /** Reply 301 without a body to this path; the caller adds the stage before it and the query after it. */
  | { readonly redirect: string }
  /** 405 has an empty body, 404 the text `404 page not found` and a line feed, as recorded. */
  | { readonly status: 400 | 404 | 405 };

/** A node of the prefix tree of all paths. */
interface TrieNode {
  readonly literals: Map<string, TrieNode>;
  parameter?: TrieNode;
  greedy?: TrieNode;
  /** Route ids by method, then by `op`; a route without `op` has the empty text. */
  readonly routes: Map<string, Map<string, RouteId>>;
}

interface Found {
  readonly routes: TrieNode['routes'];
  readonly values: readonly string[];
}

const newNode = (): TrieNode => ({ literals: new Map(), routes: new Map() });

function childOf(node: TrieNode, part: string): TrieNode {
  if (part.endsWith('+}')) {
    node.greedy ??= newNode();
    return node.greedy;
  }
  if (part.startsWith('{')) {
    node.parameter ??= newNode();
    return node.parameter;
  }
  const next = node.literals.get(part) ?? newNode();
  node.literals.set(part, next);
  return next;
}

function insert(root: TrieNode, id: RouteId, route: Route): void {
  const { routes } = route.path.slice(1).split('/').reduce(childOf, root);
  const ops = routes.get(route.method) ?? new Map<string, RouteId>();
  ops.set(route.op ?? '', id);
  routes.set(route.method, ops);
}

const root = newNode();
for (const [id, route] of rows) insert(root, id, route);
const routeOf = new Map(rows);
const PARAMETER = /\{(\w+)\+?\}/g;
const parametersOf = new Map(
  rows.map(([id, { path }]) => [id, [...path.matchAll(PARAMETER)].map((found) => found[1] ?? '')]),
);

/** The value of a greedy parameter: an encoded slash separates segments like any other slash. */
const joined = (segments: readonly string[]): string =>
  segments
    .join('/')
    .split('/')
    .filter((segment) => segment !== '')
    .join('/');

function findGreedy(
  node: TrieNode,
  segments: readonly string[],
  at: number,
  values: readonly string[],
): Found | undefined {
  if (node.routes.size > 0) return { routes: node.routes, values: [...values, joined(segments.slice(at))] };
  for (let next = segments.length - 1; next > at; next -= 1) {
    // A literal follows each greedy parameter. Testing it first keeps a path of many segments cheap.
    if (!node.literals.has(segments[next] ?? '')) continue;
    const found = find(node, segments, next, []);
    if (found === undefined) continue;
    return { routes: found.routes, values: [...values, joined(segments.slice(at, next)), ...found.values] };
  }
  return undefined;
}

/** Literals before parameters, one segment before many, without backtracking after a literal, as in API Gateway. */
function find(node: TrieNode, segments: readonly string[], at: number, values: readonly string[]): Found | undefined {
  const segment = segments[at];
  if (segment === undefined) {
    if (node.routes.size > 0) return { routes: node.routes, values };
    return node.greedy && findGreedy(node.greedy, segments, at, values);
  }
  const literal = node.literals.get(segment);
  if (literal !== undefined) return find(literal, segments, at + 1, values);
  if (node.parameter !== undefined) return find(node.parameter, segments, at + 1, [...values, segment]);
  return node.greedy && findGreedy(node.greedy, segments, at, values);
}

/** Undefined for an invalid escape. */
function decoded(segments: readonly string[]): string[] | undefined {
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

const isDot = (segment: string): boolean => segment === '.' || segment === '..';

/**
 * The path without `.` and `..`, never above the root. It is encoded again, so that it cannot point to another server: a
 * browser reads `/\host` as a host name.
 */
function cleaned(parts: readonly string[]): string {
  const kept: string[] = [];
  for (const part of parts) {
    if (part === '..') kept.pop();
    else if (part !== '.' && part !== '') kept.push(encodeURIComponent(part));
  }
  return `/${kept.join('/')}`;
}

/** The segments after `/api` or `/api/v2`, which have the same routes. */
function belowApi(segments: readonly string[]): readonly string[] | undefined {
  if (segments[0] !== 'api') return undefined;
  return segments.slice(segments[1] === 'v2' ? 2 : 1);
}

/**
 * Finds the route of a request (rest-api reference, 1.1). Never throws.
 *
 * `method` and the literals of the path are case-sensitive. `path` is encoded, without the query, and begins with `/api`
 * or `/api/v2`. `query` has the values of each name in order (`multiValueQueryStringParameters`). The first `op` counts;
 * an unknown one is ignored: a GET of a node is served whatever its `op`.
 *
 * - Repeated slashes and slashes at the end are ignored. Each segment is decoded once. An encoded slash separates segments
 *   only within a greedy parameter; in any other parameter it is part of the value, which no rule of names allows.
 * - A path with `.` or `..`, encoded or not, is redirected to its clean form.
 * - Below `/api`, the status of a path without a route is 405, elsewhere 404; that of an invalid escape is 400.
 *
 * The caller replies to `OPTIONS`, which is no route. Names and `ref` are not validated here.
 */
export function matchRoute(method: string, path: string, query: Query): Match {
  const segments = decoded(path.split('/').filter((segment) => segment !== ''));
  if (segments === undefined) return { status: 400 };
  const parts = segments.flatMap((segment) => segment.split('/'));
  if (parts.some(isDot)) return { redirect: cleaned(parts) };
  const below = belowApi(segments);
  if (below === undefined) return { status: 404 };
  const found = find(root, below, 0, []);
  const ops = found?.routes.get(method);
  const id = ops?.get(query.op?.[0] ?? '') ?? ops?.get('');
  const route = id && routeOf.get(id);
  if (found === undefined || id === undefined || route === undefined) return { status: 405 };
  const params = Object.fromEntries(
    (parametersOf.get(id) ?? []).map((name, index) => [name, found.values[index] ?? '']),
  );
  return { id, route, params, endsInSlash: /(\/|%2f)$/i.test(path) };
}
