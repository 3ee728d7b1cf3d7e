import type { Route } from '../registry/route.ts';
import { type RouteId, rows } from '../registry/routes/index.ts';

type Query = Readonly<Record<string, readonly string[] | undefined>> & { readonly op?: readonly string[] };

/** A route that serves a request, or how to turn the request away. */
export type Match =
  | {
      readonly id: RouteId;
      readonly route: Route;
      /** Decoded. A greedy parameter keeps the slashes between its segments and has none at its ends. */
      readonly params: Readonly<Record<string, string>>;
      /** The path ended in a slash: of secrets, that names a folder. */
      readonly slash: boolean;
    }
  /** Reply 301, without a body, to this path; the caller puts the stage before it and the query behind it. */
  | { readonly redirect: string }
  /** 405 has an empty body, 404 the text `404 page not found` and a line feed, as recorded. */
  | { readonly status: 400 | 404 | 405 };

interface Fork {
  readonly literals: Map<string, Fork>;
  one?: Fork;
  any?: Fork;
  /** Ids by method, then by `op`; a route without `op` stands under the empty text. */
  readonly ends: Map<string, Map<string, RouteId>>;
}

interface End {
  readonly ends: Fork['ends'];
  readonly values: readonly string[];
}

const newFork = (): Fork => ({ literals: new Map(), ends: new Map() });

function branch(fork: Fork, part: string): Fork {
  if (part.endsWith('+}')) {
    fork.any ??= newFork();
    return fork.any;
  }
  if (part.startsWith('{')) {
    fork.one ??= newFork();
    return fork.one;
  }
  const next = fork.literals.get(part) ?? newFork();
  fork.literals.set(part, next);
  return next;
}

function grow(root: Fork, id: RouteId, route: Route): void {
  const end = route.path.slice(1).split('/').reduce(branch, root);
  const ops = end.ends.get(route.method) ?? new Map<string, RouteId>();
  ops.set(route.op ?? '', id);
  end.ends.set(route.method, ops);
}

const root = newFork();
for (const [id, route] of rows) grow(root, id, route);
const routeOf = new Map(rows);
const nameOf = /\{(\w+)\+?\}/g;
const namesOf = new Map(rows.map(([id, { path }]) => [id, [...path.matchAll(nameOf)].map((found) => found[1] ?? '')]));

/** What a greedy parameter stands for: a slash that came encoded is one like any other there. */
const joined = (segments: readonly string[]): string =>
  segments
    .join('/')
    .split('/')
    .filter((segment) => segment !== '')
    .join('/');

function findGreedy(fork: Fork, segments: readonly string[], at: number, values: readonly string[]): End | undefined {
  if (fork.ends.size > 0) return { ends: fork.ends, values: [...values, joined(segments.slice(at))] };
  for (let next = segments.length - 1; next > at; next -= 1) {
    // What follows a greedy parameter is a word: asking for it first keeps a path of many slashes cheap.
    if (!fork.literals.has(segments[next] ?? '')) continue;
    const found = find(fork, segments, next, []);
    if (found === undefined) continue;
    return { ends: found.ends, values: [...values, joined(segments.slice(at, next)), ...found.values] };
  }
  return undefined;
}

/** Words before parameters, one segment before many; a word once taken is never given back, as in API Gateway. */
function find(fork: Fork, segments: readonly string[], at: number, values: readonly string[]): End | undefined {
  const segment = segments[at];
  if (segment === undefined) {
    if (fork.ends.size > 0) return { ends: fork.ends, values };
    return fork.any && findGreedy(fork.any, segments, at, values);
  }
  const word = fork.literals.get(segment);
  if (word !== undefined) return find(word, segments, at + 1, values);
  if (fork.one !== undefined) return find(fork.one, segments, at + 1, [...values, segment]);
  return fork.any && findGreedy(fork.any, segments, at, values);
}

/** Undefined if an escape is broken. */
function decoded(segments: readonly string[]): string[] | undefined {
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

const isDot = (segment: string): boolean => segment === '.' || segment === '..';

/**
 * The path without its dots, as a client should have written it; `..` never climbs above the root. Encoded anew, so
 * that it can lead nowhere but to this server (a browser takes `/\host` for another one).
 */
function cleaned(parts: readonly string[]): string {
  const kept: string[] = [];
  for (const part of parts) {
    if (part === '..') kept.pop();
    else if (part !== '.' && part !== '') kept.push(encodeURIComponent(part));
  }
  return `/${kept.join('/')}`;
}

/** Behind `/api`, or `/api/v2`, which is the same. */
function belowApi(segments: readonly string[]): readonly string[] | undefined {
  if (segments[0] !== 'api') return undefined;
  return segments.slice(segments[1] === 'v2' ? 2 : 1);
}

/**
 * Finds the route of a request (rest-api reference, 1.1). Never throws.
 *
 * `method` and every word of the path count by letter and case. `path` is as it came: encoded, without the query, from
 * `/api` or `/api/v2` on. `query` has for each name its values in order (`multiValueQueryStringParameters`); of `op`
 * the first counts, and an unknown one is as good as none: a GET of a node answers whatever its `op`.
 *
 * - Slashes at the end and repeated ones do not count. Each segment is decoded once; an encoded slash divides nothing
 *   but the value of a greedy parameter, and in any other is part of a name, which no rule of names lets through.
 * - A path with `.` or `..`, encoded or not, is not served but redirected to its clean form.
 * - Below `/api`, what is no route is 405; elsewhere it is 404; a broken escape is 400.
 *
 * `OPTIONS` is no route: whoever calls this answers it before. Names are not judged here, nor is `ref`.
 */
export function matchRoute(method: string, path: string, query: Query): Match {
  const segments = decoded(path.split('/').filter((segment) => segment !== ''));
  if (segments === undefined) return { status: 400 };
  const parts = segments.flatMap((segment) => segment.split('/'));
  if (parts.some(isDot)) return { redirect: cleaned(parts) };
  const below = belowApi(segments);
  if (below === undefined) return { status: 404 };
  const end = find(root, below, 0, []);
  const ops = end?.ends.get(method);
  const id = ops?.get(query.op?.[0] ?? '') ?? ops?.get('');
  const route = id && routeOf.get(id);
  if (end === undefined || id === undefined || route === undefined) return { status: 405 };
  const params = Object.fromEntries((namesOf.get(id) ?? []).map((name, index) => [name, end.values[index] ?? '']));
  return { id, route, params, slash: /(\/|%2f)$/i.test(path) };
}
