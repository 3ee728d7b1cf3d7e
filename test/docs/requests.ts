import { existsSync } from 'node:fs';
import * as z from 'zod/mini';
import { matchRoute } from '../../lib/api/http/match.ts';
import type { Route } from '../../lib/api/registry/route.ts';
import { inputs } from '../../lib/api/registry/shapes/inputs.ts';
import { isObject } from '../../lib/language/json.ts';

type Problem = string | undefined;

const isQueryOf = ({ query = [] }: Route, name: string): boolean =>
  query.some((one) => one === name || (one.endsWith('*') && name.startsWith(one.slice(0, -1))));

/** The route of a request, or what is wrong with it. The path may have parameters in braces. */
function routeOf(method: string, target: string): Route | string {
  const { pathname, searchParams } = new URL(target, 'http://127.0.0.1:8080');
  const query = Object.fromEntries([...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]));
  const match = matchRoute(method, pathname, query);
  if (!('route' in match)) return `${method} ${pathname} is no route`;
  const { op, ...others } = query;
  if (op !== undefined && match.route.op !== op[0]) return `${method} ${pathname} has no op=${op[0]}`;
  const unknown = Object.keys(others).find((name) => !isQueryOf(match.route, name));
  return unknown === undefined ? match.route : `${method} ${pathname} has no query parameter '${unknown}'`;
}

/** A member of a body that the shape of the route does not have: the parsed value lacks it. */
function unknownMember(given: unknown, parsed: unknown): string | undefined {
  if (!isObject(given) || !isObject(parsed)) return undefined;
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(parsed, name)) return name;
    const inner = unknownMember(value, parsed[name]);
    if (inner !== undefined) return `${name}.${inner}`;
  }
  return undefined;
}

function jsonBodyProblem({ method, path, input }: Route, body: string): Problem {
  let given: unknown;
  try {
    given = JSON.parse(body);
  } catch (error) {
    return `the body ${body}: ${(error as Error).message}`;
  }
  const read = input === undefined ? undefined : z.safeParse(inputs[input], given);
  if (read?.success === false) return `${method} ${path} does not take ${body}`;
  const unknown = unknownMember(given, read?.data);
  return unknown === undefined ? undefined : `${method} ${path} has no member '${unknown}'`;
}

/** Why a text such as `GET /api/version`, perhaps with a body, is no request that the service understands. */
export function routeProblem(method: string, target: string, body?: string): Problem {
  const route = routeOf(method, target);
  if (typeof route === 'string') return route;
  return body === undefined ? undefined : bodyProblem(route, body);
}

function bodyProblem(route: Route, body: string): Problem {
  if (body.startsWith('@')) return existsSync(body.slice(1)) ? undefined : `no file ${body.slice(1)}`;
  if (route.body === undefined || route.body === 'none') return `${route.method} ${route.path} has no body`;
  return route.body === 'json' ? jsonBodyProblem(route, body) : undefined;
}

/** The options of curl that documents use, with whether a value follows. */
const OPTIONS: Readonly<Record<string, boolean>> = {
  '-X': true,
  '-H': true,
  '-d': true,
  '--data-binary': true,
  '-o': true,
  '-fsS': false,
};

/** What is wrong with the words after `curl`: its options, and the request to the service. */
export function requestProblem(words: readonly string[]): Problem {
  const unknown = words.find((word) => word.startsWith('-') && OPTIONS[word] === undefined);
  if (unknown !== undefined) return `curl ${unknown} is not judged`;
  const isValue = (at: number) => OPTIONS[words[at - 1] ?? ''] === true;
  const given = new Map(words.flatMap((word, at) => (isValue(at) ? [[words[at - 1] ?? '', word] as const] : [])));
  const url = words.find((word, at) => !word.startsWith('-') && !isValue(at)) ?? '';
  const body = given.get('-d') ?? given.get('--data-binary');
  const route = routeOf(given.get('-X') ?? (body === undefined ? 'GET' : 'POST'), url);
  if (typeof route === 'string') return route;
  if (!given.get('-H')?.startsWith('Service-Api-Key: ') && route.permission !== 'none') return `curl ${url} has no key`;
  return body === undefined ? undefined : bodyProblem(route, body);
}
