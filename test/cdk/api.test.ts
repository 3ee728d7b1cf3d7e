import { describe, expect, test } from 'vitest';
import { exampleOf } from '../../lib/api/docs/examples.ts';
import { toErrorReply } from '../../lib/api/http/reply.ts';
import { lambdaOf } from '../../lib/api/registry/route.ts';
import { rows } from '../../lib/api/registry/routes/index.ts';
import { ServiceError } from '../../lib/domain/errors.ts';
import { EVERY_OPTION } from './options.ts';
import { ofType, type Resource, resourcesOf } from './stack.ts';

interface Place {
  readonly part: string;
  readonly children: Place[];
  method?: Resource;
}

type Ref = { readonly Ref?: string };

/** The resources of API Gateway as a tree, each with its method ANY. */
function treeOf(resources: Record<string, Resource>): Place {
  const root: Place = { part: '', children: [] };
  const places = new Map<string, Place>();
  const all = ofType(resources, 'AWS::ApiGateway::Resource');
  for (const [id, { Properties }] of all) places.set(id, { part: Properties['PathPart'] as string, children: [] });
  for (const [id, { Properties }] of all) {
    const parent = places.get((Properties['ParentId'] as Ref).Ref ?? '') ?? root;
    parent.children.push(places.get(id) as Place);
  }
  for (const [, method] of ofType(resources, 'AWS::ApiGateway::Method')) {
    const place = places.get((method.Properties['ResourceId'] as Ref).Ref ?? '') ?? root;
    place.method = method;
  }
  return root;
}

const isGreedy = (place: Place): boolean => place.part.endsWith('+}');
const isVariable = (place: Place): boolean => place.part.startsWith('{') && !isGreedy(place);

/** Matches a path as API Gateway does: a literal before a parameter, a parameter before a greedy one, which is never empty. */
function find(place: Place, [segment, ...rest]: readonly string[]): Place | undefined {
  if (segment === undefined) return place;
  const word = place.children.find((child) => child.part === segment);
  if (word !== undefined) return find(word, rest);
  const variable = place.children.find(isVariable);
  if (variable !== undefined) return find(variable, rest);
  return place.children.find(isGreedy);
}

const resources = resourcesOf();
const tree = treeOf(resources);
const lambdas = new Set(
  ofType(resources, 'AWS::Lambda::Function').flatMap(([id]) => /^Functions(\w+?)Function/.exec(id)?.[1] ?? []),
);

const all = (place: Place): Place[] => [place, ...place.children.flatMap(all)];

function lambdaAt(path: string): string | undefined {
  const place = find(
    tree,
    path.split('/').filter((segment) => segment !== ''),
  );
  const { HttpMethod, Integration } = place?.method?.Properties ?? {};
  return HttpMethod === 'ANY' ? /Functions(\w+?)Function/.exec(JSON.stringify(Integration))?.[1] : undefined;
}

describe('API Gateway', () => {
  test.each(['/api', '/api/v2'])(
    'below %s brings every route to the Lambda of its family, or to the one that stands in',
    (prefix) => {
      const served = rows.filter(([, { unversioned }]) => prefix === '/api' || unversioned !== true);
      const reached = served.map(([id]) => {
        const path = exampleOf(id)
          .path.replace(/^\/api/, prefix)
          .replace(/\?.*/, '');
        return `${id} ${lambdaAt(path)}`;
      });
      const expected = served.map(([id, route]) => {
        const name = lambdaOf(route);
        return `${id} ${lambdas.has(name) ? name : 'system'}`;
      });
      expect(reached).toEqual(expected);
    },
  );

  test('has the root of a tree, which a greedy parameter does not match', () => {
    expect(lambdaAt('/api/namespaces/demo/tree')).toBe('tree');
    expect(lambdaAt('/api/namespaces/demo/tree/a/b/c')).toBe('tree');
  });

  test('sends requests without a route to a Lambda as well', () => {
    expect(lambdaAt('/nope')).toBe('system');
    expect(lambdaAt('/nope/a/b')).toBe('system');
  });

  test('sends every address of the console, and the root, to the Lambda that serves its files', () => {
    const paths = ['/', '/ui', '/ui/', '/ui/n/demo/runs', '/ui/assets/main-ABC.js'];
    expect(paths.map(lambdaAt)).toEqual(paths.map(() => 'console'));
  });

  const responses = new Map(
    ofType(resources, 'AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => [
      Properties['ResponseType'] as string,
      Properties,
    ]),
  );
  const templateOf = (type: string): string => {
    const templates = responses.get(type)?.['ResponseTemplates'] as Record<string, string> | undefined;
    return templates?.['application/json'] ?? '{}';
  };

  test('replies with 405 itself if there is no resource', () => {
    expect(responses.get('MISSING_AUTHENTICATION_TOKEN')).toMatchObject({
      StatusCode: '405',
      ResponseTemplates: { 'application/json': '' },
    });
  });

  test.each([
    ['REQUEST_TOO_LARGE', 413, 'too large'],
    ['THROTTLED', 429, 'try again later'],
    ['INTEGRATION_TIMEOUT', 504, 'in time'],
    ['INTEGRATION_FAILURE', 504, 'could not be called'],
  ])('gives its own error %s the status %d and the shape of the errors of the service', (type, status, text) => {
    const body = JSON.parse(templateOf(type)) as Record<string, unknown>;
    const shape = JSON.parse(String(toErrorReply(new ServiceError('too-many', 'x')).body)) as object;
    expect(responses.get(type)).toMatchObject({ StatusCode: String(status) });
    expect(Object.keys(body)).toEqual(Object.keys(shape));
    expect(body).toEqual({
      code: status,
      message: expect.stringContaining(text),
      Error: body['message'],
      StatusCode: status,
    });
  });

  test('names the seconds after which a throttled client may try again', () => {
    expect(responses.get('THROTTLED')).toMatchObject({
      ResponseParameters: { 'gatewayresponse.header.Retry-After': "'1'" },
    });
  });

  test.each(['DEFAULT_4XX', 'DEFAULT_5XX'])('replies with its own message and status to %s, as JSON', (type) => {
    expect(responses.get(type)).not.toHaveProperty('StatusCode');
    const body = templateOf(type).replaceAll('$context.error.messageString', '"Forbidden"');
    expect(JSON.parse(body)).toEqual({ message: 'Forbidden', Error: 'Forbidden' });
  });

  test('sets the logging role of the account, unless the account has one', () => {
    const accounts = (settings: object) =>
      Object.values(resourcesOf({ ...settings })).filter(({ Type }) => Type === 'AWS::ApiGateway::Account');
    expect(accounts({})).toMatchObject([{ DeletionPolicy: 'Retain' }]);
    expect(accounts({ loggingRole: 'false' })).toEqual([]);
  });

  test('leaves 100 of the 500 resources of a stack free, with all options but a careful roll-out, and 50 with it', () => {
    const { rollout: _, ...others } = EVERY_OPTION;
    expect(Object.keys(resourcesOf(others)).length).toBeLessThanOrEqual(400);
    expect(Object.keys(resourcesOf(EVERY_OPTION)).length).toBeLessThanOrEqual(450);
  });

  test('accepts the resources: not too many, one parameter name at each position, none below a greedy one', () => {
    const places = all(tree);
    expect(places.length).toBeLessThanOrEqual(300);
    expect(Object.keys(resources).length).toBeLessThan(350);
    for (const place of places) {
      expect(place.children.filter(isVariable).length).toBeLessThanOrEqual(1);
      expect(place.children.filter(isGreedy).length).toBeLessThanOrEqual(1);
      expect(isGreedy(place) ? place.children : []).toEqual([]);
      expect(place.part).toMatch(/^$|^[\w.-]+$|^\{\w+\+?\}$/);
    }
  });

  test('streams replies, except the files of the console, unless streaming is disabled', () => {
    const modes = (settings: Record<string, string>) => {
      const methods = ofType(resourcesOf(settings), 'AWS::ApiGateway::Method');
      const integrations = methods.map(([, { Properties }]) => JSON.stringify(Properties['Integration']));
      const ofApi = integrations.filter((text) => !text.includes('Functionsconsole'));
      expect(ofApi.length).toBe(integrations.length - 3);
      return new Set(ofApi.map((text) => text.match(/STREAM|BUFFERED/)?.[0]));
    };
    expect(modes({})).toEqual(new Set(['STREAM']));
    expect(modes({ streaming: 'false' })).toEqual(new Set(['BUFFERED']));
    expect(JSON.stringify(resources)).toContain('/response-streaming-invocations');
    expect(JSON.stringify(resourcesOf({ streaming: 'false' }))).not.toContain('/response-streaming-invocations');
  });

  test('reads every body as bytes and logs every request', () => {
    expect(ofType(resources, 'AWS::ApiGateway::RestApi')[0]?.[1].Properties).toMatchObject({
      BinaryMediaTypes: ['*/*'],
      EndpointConfiguration: { Types: ['REGIONAL'] },
    });
    const [, stage] = ofType(resources, 'AWS::ApiGateway::Stage')[0] ?? [];
    expect(stage?.Properties['AccessLogSetting']).toMatchObject({
      Format: expect.stringContaining('$context.requestId'),
    });
  });
});
