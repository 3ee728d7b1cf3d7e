import { describe, expect, test } from 'vitest';
import { matchRoute } from '../../../lib/api/http/match.ts';
import { rows } from '../../../lib/api/registry/routes/index.ts';
import fc from '../../fast-check.ts';

const NODE = '/api/namespaces/demo/tree';

function ask(line: string): ReturnType<typeof matchRoute> {
  const [method = '', target = ''] = line.split(' ');
  const [path = '', search = ''] = target.split('?');
  const query: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(search)) query[name] = [...(query[name] ?? []), value];
  return matchRoute(method, path, query);
}

/** The id and parameters of a match as one line, or the reply without a route. */
function answer(line: string): string {
  const match = ask(line);
  if ('status' in match) return String(match.status);
  if ('redirect' in match) return `301 ${match.redirect}`;
  return [match.id, ...Object.entries(match.params).map(([name, value]) => `${name}=${value}`)].join(' ');
}

describe('the route of a request', () => {
  test.each([
    ['GET /api/namespaces', 'listNamespaces'],
    ['GET /api/namespaces/', 'listNamespaces'],
    ['GET /api/v2/namespaces', 'listNamespaces'],
    ['PUT /api/namespaces/demo', 'createNamespace namespace=demo'],
    ['PUT /api/v2/namespaces/demo', 'createNamespace namespace=demo'],
    ['PUT /api/namespaces/v2', 'createNamespace namespace=v2'],
    ['GET /api/namespaces/demo/instances/i/vars/x', 'getInstanceVariable namespace=demo instance=i variable=x'],
    ['GET /api/functions', 'listGlobalServices'],
    ['GET /api/functions/hello', 'getGlobalService service=hello'],
    ['GET /api/functions/registries/global', 'listGlobalRegistries'],
    ['GET /api/functions/namespaces/demo', 'listNamespaceServices namespace=demo'],
    ['GET /api/functions/namespaces/demo/tree/a/b?op=services', 'listWorkflowServices namespace=demo node=a/b'],
    ['GET /api/functions/logs/pod/p-1', 'watchPodLogs pod=p-1'],
    ['POST /api/namespaces/demo/broadcast/f', 'broadcastEventThroughFilter namespace=demo filter=f'],
  ])('%s is %s', (line, expected) => {
    expect(answer(line)).toBe(expected);
  });

  test('every route matches its own method, path and op', () => {
    const found = rows.map(([, { method, path, op }]) => {
      const match = ask(`${method} /api${path.replaceAll(/\{(\w+)\+?\}/g, 'a')}${op === undefined ? '' : `?op=${op}`}`);
      return 'id' in match ? match.id : match;
    });
    expect(found).toEqual(rows.map(([id]) => id));
  });
});

describe('`op` selects a route of a node', () => {
  test.each([
    [`PUT ${NODE}/a?op=create-directory`, 'createDirectory namespace=demo node=a'],
    [`GET ${NODE}/a?op=vars`, 'listWorkflowVariables namespace=demo node=a'],
    [`GET ${NODE}/a?op=vars&op=logs`, 'listWorkflowVariables namespace=demo node=a'],
    ['GET /api/namespaces/demo/secrets?op=search&term=x', 'searchSecrets namespace=demo'],
    ['GET /api/namespaces/demo/secrets?op=unheard-of', 'listSecrets namespace=demo'],
  ])('%s is %s', (line, expected) => {
    expect(answer(line)).toBe(expected);
  });

  test.each(['', '?op=', '?op=validate-ref&ref=latest', '?op=VARS', '?ref=latest'])(
    'a GET of a node with `%s` shows the node',
    (search) => {
      expect(answer(`GET ${NODE}/a${search}`)).toBe('getNode namespace=demo node=a');
    },
  );

  test.each(['PUT', 'POST', 'DELETE'])('a %s of a node without a known op is 405', (method) => {
    expect(answer(`${method} ${NODE}/a`)).toBe('405');
    expect(answer(`${method} ${NODE}/a?op=foo`)).toBe('405');
  });
});

describe('the path of a node', () => {
  test.each([
    ['', ''],
    ['/', ''],
    ['//', ''],
    ['//flows', 'flows'],
    ['/a/b/', 'a/b'],
    ['/a//b', 'a/b'],
    ['/a%2Fb', 'a/b'],
    ['/a%2fb', 'a/b'],
    ['/%2Fa%2F%2Fb%2F', 'a/b'],
    ['/a%20b', 'a b'],
    ['/A.yaml', 'A.yaml'],
    ['/a%252Fb', 'a%2Fb'],
    ['/%C3%A9', 'é'],
    ['/a+b', 'a+b'],
    ['/v2/api', 'v2/api'],
    ['/a..b/...', 'a..b/...'],
  ])('/tree%s is the node "%s"', (tail, node) => {
    const match = ask(`GET ${NODE}${tail}`);
    expect('params' in match && match.params).toEqual({ namespace: 'demo', node });
  });

  test('an encoded slash separates no other parameters, so that no name can reach another path', () => {
    expect(answer('GET /api/namespaces/demo%2Fsecrets')).toBe('405');
    expect(answer('DELETE /api/namespaces/a%2Fb')).toBe('deleteNamespace namespace=a/b');
    expect(answer('GET /api/namespaces/demo/vars/a%2Fb')).toBe('getNamespaceVariable namespace=demo variable=a/b');
  });
});

describe('greedy parameters elsewhere', () => {
  test('the id of an event may contain slashes, encoded or not', () => {
    expect(answer('POST /api/namespaces/n/events/a/b/replay')).toBe('replayEvent namespace=n event=a/b');
    expect(answer('POST /api/namespaces/n/events/a%2Fb/replay')).toBe('replayEvent namespace=n event=a/b');
    expect(answer('POST /api/namespaces/n/events/replay/replay')).toBe('replayEvent namespace=n event=replay');
    expect(answer('POST /api/namespaces/n/events/replay')).toBe('405');
  });

  test('a slash at the end distinguishes a folder of secrets from a secret', () => {
    expect(ask('DELETE /api/namespaces/n/secrets/a/b')).toMatchObject({
      params: { secret: 'a/b' },
      endsInSlash: false,
    });
    expect(ask('DELETE /api/namespaces/n/secrets/a/b/')).toMatchObject({
      params: { secret: 'a/b' },
      endsInSlash: true,
    });
    expect(ask('DELETE /api/namespaces/n/secrets/a%2Fb%2F')).toMatchObject({
      params: { secret: 'a/b' },
      endsInSlash: true,
    });
  });

  test('a list is not a secret without a name', () => {
    expect(answer('GET /api/namespaces/n/secrets/')).toBe('listSecrets namespace=n');
    expect(answer('PUT /api/namespaces/n/secrets/')).toBe('405');
  });
});

describe('paths with dots are redirected to the clean path', () => {
  test.each([
    [`PUT ${NODE}/.?op=create-directory`, `301 ${NODE}`],
    [`GET ${NODE}/a/../b`, `301 ${NODE}/b`],
    [`GET ${NODE}/a/%2e%2E/b%20c`, `301 ${NODE}/b%20c`],
    [`GET ${NODE}/a%2F..%2Fb`, `301 ${NODE}/b`],
    ['GET /api/../../../etc', '301 /etc'],
    ['GET //host/.', '301 /host'],
    ['GET /\\host/.', '301 /%5Chost'],
    ['GET /%2F%2Fhost/.', '301 /host'],
  ])('%s is %s', (line, expected) => {
    expect(answer(line)).toBe(expected);
  });
});

describe('requests without a route', () => {
  test.each([
    ['GET /api', '405'],
    ['GET /api/', '405'],
    ['GET /api/v2', '405'],
    ['GET /api/nope', '405'],
    ['POST /api/version', '405'],
    ['HEAD /api/namespaces', '405'],
    ['get /api/namespaces', '405'],
    ['GET /api/Namespaces', '405'],
    ['GET /api/functions/registries', '405'],
    ['GET /api/namespaces/demo/nope', '405'],
    ['GET /api/namespaces/demo/vars/a/b', '405'],
    ['GET /', '404'],
    ['GET /namespaces', '404'],
    ['GET /apis/namespaces', '404'],
    ['GET /v2/namespaces', '404'],
    ['GET /api/namespaces/%', '400'],
    ['GET /api/namespaces/%zz', '400'],
    ['GET /api/namespaces/%ff', '400'],
  ])('%s is %s', (line, expected) => {
    expect(answer(line)).toBe(expected);
  });
});

test('any request has a result, and the target of a redirect is not redirected again', () => {
  const segment = fc.oneof(
    fc.string(),
    fc.constantFrom('api', 'v2', 'namespaces', 'tree', '.', '..', '%2e', '%2F', '%', 'events', 'replay', ''),
  );
  const path = fc.array(segment, { maxLength: 12 }).map((segments) => `/${segments.join('/')}`);
  const op = fc.option(fc.constantFrom('var', '__proto__', 'wait'), { nil: undefined });
  fc.assert(
    fc.property(fc.constantFrom('GET', 'PUT', '__proto__'), path, op, (method, asked, value) => {
      const query = value === undefined ? {} : { op: [value] };
      const match = matchRoute(method, asked, query);
      if (!('redirect' in match)) return;
      expect(match.redirect).toMatch(/^\/(?![/\\])/);
      expect(matchRoute(method, match.redirect, query)).not.toHaveProperty('redirect');
    }),
  );
});

test('a path of many slashes is matched quickly', () => {
  const long = `/api/namespaces/n/events/${'replay/'.repeat(5_000)}nope`;
  expect(matchRoute('POST', long, {})).toEqual({ status: 405 });
});
