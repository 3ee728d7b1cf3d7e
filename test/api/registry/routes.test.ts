import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { byteExamples, exampleOf, inputExamples } from '../../../lib/api/docs/examples.ts';
import { matchRoute } from '../../../lib/api/http/match.ts';
import { families } from '../../../lib/api/registry/families.ts';
import { queries } from '../../../lib/api/registry/queries.ts';
import { lambdaOf, METHODS, PERMISSIONS, type Route } from '../../../lib/api/registry/route.ts';
import { routes, rows } from '../../../lib/api/registry/routes/index.ts';
import { inputs } from '../../../lib/api/registry/shapes/inputs.ts';
import { replies } from '../../../lib/api/registry/shapes/replies.ts';

const wrong = (isWrong: (route: Route, id: string) => boolean): string[] =>
  rows.filter(([id, route]) => isWrong(route, id)).map(([id]) => id);

describe('the registry', () => {
  test('an id stands in one file only', async () => {
    const folder = new URL('../../../lib/api/registry/routes/', import.meta.url);
    const files = readdirSync(folder).filter((file) => file !== 'index.ts');
    const modules = await Promise.all(files.map((file) => import(new URL(file, folder).href)));
    const ids = modules.flatMap((module) => Object.values(module).flatMap((rows) => Object.keys(rows as object)));
    expect(ids.toSorted()).toEqual([...new Set(ids)].toSorted());
    expect(ids.toSorted()).toEqual(Object.keys(routes).toSorted());
  });

  test('an id is one word in camel case that begins with a verb of its own method', () => {
    expect(wrong((_, id) => !/^[a-z]+([A-Z][a-z]+)+$/.test(id))).toEqual([]);
    expect(wrong(({ method }, id) => /^(get|list|watch|search)/.test(id) && method !== 'GET')).toEqual([]);
    expect(wrong(({ method }, id) => id.startsWith('create') && !['PUT', 'POST'].includes(method))).toEqual([]);
  });

  test('no two routes answer the same request', () => {
    const keys = rows.map(([, { method, path, op }]) => `${method} ${path.replaceAll(/\{\w+/g, '{')} ${op ?? ''}`);
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });

  test('what a route names exists', () => {
    expect(wrong(({ family }) => !(family in families))).toEqual([]);
    expect(wrong(({ method }) => !METHODS.includes(method))).toEqual([]);
    expect(wrong(({ permission }) => !PERMISSIONS.includes(permission))).toEqual([]);
    expect(wrong(({ query = [] }) => query.some((name) => !(name in queries)))).toEqual([]);
    expect(wrong(({ input }) => input !== undefined && !(input in inputs))).toEqual([]);
    const known = new Set([...Object.keys(replies), 'empty', 'bytes']);
    expect(wrong(({ reply, frame = reply }) => !known.has(reply) || !known.has(frame))).toEqual([]);
  });

  test('nothing is named that no route uses', () => {
    const all = rows.map(([, route]) => route);
    const used = (names: readonly (string | undefined)[]) => new Set(names.filter((name) => name !== undefined));
    const unused = (names: object, by: Set<string>) => Object.keys(names).filter((name) => !by.has(name));
    expect(unused(families, used(all.map(({ family }) => family)))).toEqual([]);
    expect(unused(queries, used(all.flatMap(({ query = [] }) => query)))).toEqual([]);
    expect(unused(inputs, used(all.map(({ input }) => input)))).toEqual([]);
    expect(unused(replies, used(all.flatMap(({ reply, frame }) => [reply, frame])))).toEqual([]);
  });

  test('every route, family and query parameter says in one sentence what it is for', () => {
    expect(wrong(({ about }) => !/^[A-Z][^.]+\.$/.test(about.replaceAll(/`[^`]*`/g, 'x')))).toEqual([]);
    expect(Object.values(families).filter(({ about }) => !/^[A-Z][^.]+$/.test(about))).toEqual([]);
    expect(Object.values(queries).filter(({ about }) => !/^.+\.$/.test(about))).toEqual([]);
  });

  test('a body has a shape if it is JSON and none if it is bytes', () => {
    expect(wrong(({ body, input }) => (body === 'json') !== (input !== undefined))).toEqual([]);
    expect(wrong(({ body, optional }) => optional === true && body === undefined)).toEqual([]);
    expect(wrong(({ method, body }) => method === 'GET' && body !== undefined)).toEqual([]);
  });

  test('only reading can be a stream, and only a stream has frames', () => {
    expect(wrong(({ method, stream }) => stream !== undefined && method !== 'GET')).toEqual([]);
    expect(wrong(({ stream, frame }) => frame !== undefined && stream === undefined)).toEqual([]);
  });

  test('what changes something asks for more than reading', () => {
    const harmless = ['validateRef', 'validateRouter', 'validateWorkflow', 'runJq'];
    const writes = wrong(({ method, permission }) => method !== 'GET' && ['none', 'read'].includes(permission));
    expect(writes.toSorted()).toEqual(harmless.toSorted());
    expect(wrong(({ permission }) => permission === 'none')).toEqual(['getDescription']);
  });

  test('what concerns all namespaces can be changed by administrators only', () => {
    const open = wrong(({ method, path, permission }) => {
      return method !== 'GET' && !path.includes('{namespace}') && permission !== 'admin';
    });
    expect(open.toSorted()).toEqual(['runJq', 'testRegistry']);
  });

  test('one Lambda serves all of a path, because API Gateway cannot tell its routes apart', () => {
    const lambdas = Object.entries(Object.groupBy(rows, ([, route]) => route.path)).map(([path, here = []]) => ({
      path,
      lambdas: [...new Set(here.map(([, route]) => lambdaOf(route)))],
    }));
    expect(lambdas.filter((entry) => entry.lambdas.length > 1)).toEqual([]);
  });
});

describe('examples', () => {
  test('the example of every route leads to that route', () => {
    const found = rows.map(([id, { method }]) => {
      const url = new URL(exampleOf(id).path, 'https://host');
      const match = matchRoute(method, url.pathname, { op: url.searchParams.getAll('op') });
      return 'id' in match ? match.id : match;
    });
    expect(found).toEqual(rows.map(([id]) => id));
  });

  test('an example has a body exactly if its route takes one', () => {
    expect(
      wrong(({ body = 'none' }, id) => (body === 'none') === 'body' in exampleOf(id as keyof typeof routes)),
    ).toEqual([]);
    expect(Object.keys(byteExamples).filter((id) => routes[id as keyof typeof routes].reply === undefined)).toEqual([]);
  });

  test('an example of a JSON body has its shape', () => {
    const parsed = Object.entries(inputs).map(([name, shape]) => [
      name,
      shape.safeParse(inputExamples[name as keyof typeof inputs]).success,
    ]);
    expect(parsed.filter(([, success]) => !success)).toEqual([]);
  });

  test('no example leaves a parameter empty or undefined', () => {
    expect(rows.map(([id]) => exampleOf(id).path).filter((path) => /\/\/|undefined|=(&|$)|\/$/.test(path))).toEqual([]);
  });
});

describe('endpoints', () => {
  const folder = new URL('../../../functions/http/', import.meta.url);
  const served = Object.keys(families).filter((name) => existsSync(new URL(`${name}.ts`, folder)));

  test('a file of endpoints serves only routes of its own family or its own Lambda', async ({ annotate }) => {
    const tables = await Promise.all(served.map((name) => import(new URL(`${name}.ts`, folder).href)));
    const isStray = (id: string, name: string | undefined): boolean => {
      const route = (routes as Record<string, Route>)[id];
      return route === undefined || (route.family !== name && lambdaOf(route) !== name);
    };
    const strays = tables.flatMap(({ endpoints }, at) =>
      Object.keys(endpoints).filter((id) => isStray(id, served[at])),
    );
    expect(strays).toEqual([]);
    const done = new Set(tables.flatMap(({ endpoints }) => Object.keys(endpoints)));
    const missing = rows.filter(([id]) => !done.has(id)).map(([id]) => id);
    const report = `${missing.length} of ${rows.length} routes have no endpoint yet: ${missing.join(' ') || 'none'}`;
    await annotate(report);
    console.log(report);
  });
});
