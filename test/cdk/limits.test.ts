import { describe, expect, test } from 'vitest';
import { ofType, resourcesOf } from './stack.ts';

type Resources = ReturnType<typeof resourcesOf>;

/** The reserved concurrency of each function that has one, by the id of the function. */
const reservedIn = (resources: Resources): Record<string, unknown> =>
  Object.fromEntries(
    ofType(resources, 'AWS::Lambda::Function').flatMap(([id, { Properties }]) =>
      Properties['ReservedConcurrentExecutions'] === undefined
        ? []
        : [[/^Functions(\w+?)Function/.exec(id)?.[1] ?? id, Properties['ReservedConcurrentExecutions']]],
    ),
  );

/** The settings of all methods of the stage. */
const methodSettingsIn = (resources: Resources): unknown =>
  ofType(resources, 'AWS::ApiGateway::Stage')[0]?.[1].Properties['MethodSettings'];

describe('limits of an installation', () => {
  test('are those of the account by default, except for the descendants of a run', () => {
    const resources = resourcesOf();
    expect(reservedIn(resources)).toEqual({});
    expect(JSON.stringify(methodSettingsIn(resources) ?? [])).not.toContain('Throttling');
    expect(JSON.stringify(resources)).toContain('"WEFT_MAX_DESCENDANTS":"100000"');
  });

  test('are set for requests of the API, calls of functions and descendants of a run', () => {
    const limits = {
      requestsPerSecond: '50',
      concurrency: '{"steps": 200, "tree": 20}',
      maxDescendants: '1000',
      maxWaitingRequests: '7',
    };
    const resources = resourcesOf(limits);
    expect(reservedIn(resources)).toEqual({ steps: 200, tree: 20 });
    expect(methodSettingsIn(resources)).toEqual([
      expect.objectContaining({ HttpMethod: '*', ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 }),
    ]);
    expect(JSON.stringify(resources)).toContain('"WEFT_MAX_DESCENDANTS":"1000"');
    expect(JSON.stringify(resources)).toContain('"WEFT_MAX_WAITING_REQUESTS":"7"');
  });

  test('name a function that does not exist', () => {
    expect(() => resourcesOf({ concurrency: '{"step": 5}' })).toThrow(
      "concurrency has 'step', which is no function; the functions are ",
    );
  });
});
