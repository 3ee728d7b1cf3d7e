import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { byteExamples, exampleOf, inputExamples } from '../../../lib/api/docs/examples.ts';
import { SUMMARIES } from '../../../lib/api/docs/summaries.ts';
import { matchRoute } from '../../../lib/api/http/match.ts';
import { families } from '../../../lib/api/registry/families.ts';
import { queries } from '../../../lib/api/registry/queries.ts';
import { isFrugal, lambdaOf, METHODS, PERMISSIONS, type Route } from '../../../lib/api/registry/route.ts';
import { routes, rows } from '../../../lib/api/registry/routes/index.ts';
import { inputs } from '../../../lib/api/registry/shapes/inputs.ts';
import { replies } from '../../../lib/api/registry/shapes/replies.ts';

const wrong = (isWrong: (route: Route, id: string) => boolean): string[] =>
  rows.filter(([id, route]) => isWrong(route, id)).map(([id]) => id);

describe('the registry', () => {
  test('an id is in one file only', async () => {
    const folder = new URL('../../../lib/api/registry/routes/', import.meta.url);
    const files = readdirSync(folder).filter((file) => file !== 'index.ts');
    const modules = await Promise.all(files.map((file) => import(new URL(file, folder).href)));
    const ids = modules.flatMap((module) => Object.values(module).flatMap((rows) => Object.keys(rows as object)));
    expect(ids.toSorted()).toEqual([...new Set(ids)].toSorted());
    expect(ids.toSorted()).toEqual(Object.keys(routes).toSorted());
  });

  test('an id is in camel case and begins with a verb that fits its method', () => {
    expect(wrong((_, id) => !/^[a-z]+([A-Z][a-z]+)+$/.test(id))).toEqual([]);
    expect(wrong(({ method }, id) => /^(get|list|watch|search)/.test(id) && method !== 'GET')).toEqual([]);
    expect(wrong(({ method }, id) => id.startsWith('create') && !['PUT', 'POST'].includes(method))).toEqual([]);
  });

  test('no two routes match the same request', () => {
    const keys = rows.map(([, { method, path, op }]) => `${method} ${path.replaceAll(/\{\w+/g, '{')} ${op ?? ''}`);
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });

  test('needs no room of the disk where it reads, cancels or removes: by GET and DELETE, and by few other routes', () => {
    expect(wrong((route) => !isFrugal(route) && route.method === 'DELETE')).toEqual([]);
    expect(wrong((route) => !isFrugal(route) && route.method === 'GET').toSorted()).toEqual([
      'receiveWebhookByGet',
      'waitWorkflow',
    ]);
    expect(wrong((route) => isFrugal(route) && !['GET', 'DELETE'].includes(route.method)).toSorted()).toEqual([
      'cancelInstance',
      'deleteRevision',
      'discardWorkflow',
      'redeemSignIn',
      'runJq',
      'untagRevision',
      'validateRef',
      'validateRouter',
      'validateWorkflow',
    ]);
  });

  test('everything that a route names exists', () => {
    expect(wrong(({ family }) => !(family in families))).toEqual([]);
    expect(wrong(({ method }) => !METHODS.includes(method))).toEqual([]);
    expect(wrong(({ permission }) => !PERMISSIONS.includes(permission))).toEqual([]);
    expect(wrong(({ query = [] }) => query.some((name) => !(name in queries)))).toEqual([]);
    expect(wrong(({ input }) => input !== undefined && !(input in inputs))).toEqual([]);
    const known = new Set([...Object.keys(replies), 'empty', 'bytes']);
    expect(wrong(({ reply, frame = reply }) => !known.has(reply) || !known.has(frame))).toEqual([]);
  });

  test('every family, query parameter, input and reply is used by a route', () => {
    const all = rows.map(([, route]) => route);
    const used = (names: readonly (string | undefined)[]) => new Set(names.filter((name) => name !== undefined));
    const unused = (names: object, by: Set<string>) => Object.keys(names).filter((name) => !by.has(name));
    expect(unused(families, used(all.map(({ family }) => family)))).toEqual([]);
    expect(unused(queries, used(all.flatMap(({ query = [] }) => query)))).toEqual([]);
    expect(unused(inputs, used(all.map(({ input }) => input)))).toEqual([]);
    expect(unused(replies, used(all.flatMap(({ reply, frame }) => [reply, frame])))).toEqual([]);
  });

  test('every route, family and query parameter is described in one sentence', () => {
    const summaries = Object.values(SUMMARIES).map((summary) => summary.replaceAll(/`[^`]*`/g, 'x'));
    expect(summaries.filter((summary) => !/^[A-Z][^.]+\.$/.test(summary))).toEqual([]);
    expect(Object.values(families).filter(({ about }) => !/^[A-Z][^.]+$/.test(about))).toEqual([]);
    expect(Object.values(queries).filter(({ about }) => !/^.+\.$/.test(about))).toEqual([]);
  });

  test('a JSON body has a shape, and other bodies have none', () => {
    expect(wrong(({ body, input }) => (body === 'json') !== (input !== undefined))).toEqual([]);
    expect(wrong(({ body, optional }) => optional === true && body === undefined)).toEqual([]);
    expect(wrong(({ method, body }) => method === 'GET' && body !== undefined)).toEqual([]);
  });

  test('only a GET can be a stream, and only a stream has frames', () => {
    expect(wrong(({ method, stream }) => stream !== undefined && method !== 'GET')).toEqual([]);
    expect(wrong(({ stream, frame }) => frame !== undefined && stream === undefined)).toEqual([]);
  });

  test('a route that changes something needs more than the permission to read', () => {
    // The issuer decides about a sign-in, and the service stores nothing of it.
    const harmless = ['validateRef', 'validateRouter', 'validateWorkflow', 'runJq', 'redeemSignIn'];
    // The workflow of a webhook defines how its requests are verified.
    const verified = ['receiveWebhook', 'receiveWebhookByGet', 'receiveWebhookByPut'];
    const writes = wrong(({ method, permission }) => method !== 'GET' && ['none', 'read'].includes(permission));
    const isVerified = (id: string) => verified.includes(id);
    expect(writes.filter((id) => !isVerified(id)).toSorted()).toEqual(harmless.toSorted());
    expect(wrong(({ permission }) => permission === 'none').filter((id) => !isVerified(id))).toEqual([
      'getDescription',
      'getWorkflowSchema',
      'getSignIn',
      'redeemSignIn',
    ]);
  });

  test('only administrators can change what concerns all namespaces', () => {
    const open = wrong(({ method, path, permission }) => {
      return method !== 'GET' && !path.includes('{namespace}') && !['none', 'admin'].includes(permission);
    });
    expect(open.toSorted()).toEqual(['runJq', 'testRegistry']);
  });

  test('one Lambda serves all routes of a path, because API Gateway cannot distinguish them', () => {
    const lambdas = Object.entries(Object.groupBy(rows, ([, route]) => route.path)).map(([path, here = []]) => ({
      path,
      lambdas: [...new Set(here.map(([, route]) => lambdaOf(route)))],
    }));
    expect(lambdas.filter((entry) => entry.lambdas.length > 1)).toEqual([]);
  });
});

describe('examples', () => {
  test('the example of every route matches that route', () => {
    const found = rows.map(([id, { method }]) => {
      const url = new URL(exampleOf(id).path, 'https://host');
      const match = matchRoute(method, url.pathname, { op: url.searchParams.getAll('op') });
      return 'id' in match ? match.id : match;
    });
    expect(found).toEqual(rows.map(([id]) => id));
  });

  test('an example has a body if and only if its route takes one', () => {
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

  test('no example has an empty or undefined parameter', () => {
    expect(rows.map(([id]) => exampleOf(id).path).filter((path) => /\/\/|undefined|=(&|$)|\/$/.test(path))).toEqual([]);
  });
});

describe('endpoints', () => {
  test('each function serves exactly the routes of its Lambda', async () => {
    const folder = new URL('../../../functions/http/', import.meta.url);
    const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));
    const served = files.map(async (file) => {
      const { endpoints, streamSources = {} } = await import(new URL(file, folder).href);
      return [file.replace('.ts', ''), [...new Set(Object.keys({ ...endpoints, ...streamSources }))].toSorted()];
    });
    const registered = Map.groupBy(rows, ([, route]) => lambdaOf(route));
    const expected = [...registered].map(([name, here]) => [name, here.map(([id]) => id).toSorted()]);
    expect(Object.fromEntries(await Promise.all(served))).toEqual(Object.fromEntries(expected));
  });
});
