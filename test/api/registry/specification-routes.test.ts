import { describe, expect, test } from 'vitest';
import type { Route } from '../../../lib/api/registry/route.ts';
import { rows } from '../../../lib/api/registry/routes/index.ts';
import { type SpecifiedRoute, specification } from './specification-routes.ts';

type Wanted = Pick<Route, 'method' | 'path' | 'op'>;

const key = ({ method, path, op }: Wanted | SpecifiedRoute): string =>
  `${method} ${path.replaceAll(/\{[^}]*\}/g, '{}')}${op === undefined ? '' : `?op=${op}`}`;

const registry = new Map(rows.map(([, route]) => [key(route), route]));
const titled = specification.map((specified) => [key(specified), specified] as const);

const BODIES: Record<SpecifiedRoute['body'], Pick<Route, 'body' | 'optional'>> = {
  none: {},
  text: { body: 'bytes' },
  json: { body: 'json' },
  'json?': { body: 'bytes', optional: true },
  event: { body: 'bytes' },
};

/** A body that clients send and the specification does not mention: settings of a Git mirror. */
const MAY_BE_MIRRORS = new Set(['PUT /namespaces/{}', 'PUT /namespaces/{}/tree/{}?op=create-directory']);

describe('the specification', () => {
  test('lists 84 endpoints', () => {
    expect(specification).toHaveLength(84);
    expect(new Set(titled.map(([name]) => name)).size).toBe(84);
  });

  test.each(titled)('%s is in the registry with its body, query and stream', (name, specified) => {
    const route = registry.get(name);
    if (route === undefined) throw new Error(`no route for ${name}`);
    expect(route.from).toBe('specification');
    expect(route.query ?? []).toEqual(expect.arrayContaining([...specified.query]));
    if (specified.stream) expect(route.stream).toBeDefined();
    const taken = { ...(route.body && { body: route.body }), ...(route.optional && { optional: route.optional }) };
    expect(taken).toEqual(MAY_BE_MIRRORS.has(name) ? { body: 'json', optional: true } : BODIES[specified.body]);
  });

  test('has every route whose source is the specification', () => {
    const known = new Set(titled.map(([name]) => name));
    const claims = rows.filter(([, route]) => route.from === 'specification' && !known.has(key(route)));
    expect(claims.map(([id]) => id)).toEqual([]);
  });
});
