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

/** The variables of the function that starts runs on request, by the beginning of their names. */
function limitsIn(resources: Resources, prefix = 'WEFT_MAX_'): Record<string, unknown> {
  const tree = ofType(resources, 'AWS::Lambda::Function').find(([id]) => id.startsWith('Functionstree'));
  const { Variables = {} } = (tree?.[1].Properties['Environment'] ?? {}) as { Variables?: Record<string, unknown> };
  return Object.fromEntries(Object.entries(Variables).filter(([name]) => name.startsWith(prefix)));
}

describe('limits of an installation', () => {
  test('are those of the account by default, except for the descendants of a run', () => {
    const resources = resourcesOf();
    expect(reservedIn(resources)).toEqual({});
    expect(JSON.stringify(methodSettingsIn(resources) ?? [])).not.toContain('Throttling');
    expect(limitsIn(resources)).toEqual({ WEFT_MAX_DESCENDANTS: '100000' });
  });

  test('are set for requests of the API, calls of functions and descendants of a run', () => {
    const limits = {
      requestsPerSecond: '50',
      concurrency: '{"steps": 200, "tree": 20}',
      maxDescendants: '1000',
      maxActiveRuns: '500',
      maxStartsPerSecond: '20',
      maxWaitingRequests: '7',
    };
    const resources = resourcesOf(limits);
    expect(reservedIn(resources)).toEqual({ steps: 200, tree: 20 });
    expect(methodSettingsIn(resources)).toEqual([
      expect.objectContaining({ HttpMethod: '*', ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 }),
    ]);
    expect(limitsIn(resources)).toEqual({
      WEFT_MAX_ACTIVE_RUNS: '500',
      WEFT_MAX_DESCENDANTS: '1000',
      WEFT_MAX_STARTS_PER_SECOND: '20',
      WEFT_MAX_WAITING_REQUESTS: '7',
    });
  });

  test('have the quotas of namespaces and of the installation, as a text or a table', () => {
    const quotasOf = (quotas: unknown): unknown => {
      const { WEFT_QUOTAS } = limitsIn(resourcesOf({ quotas }), 'WEFT_QUOTAS');
      return JSON.parse(String(WEFT_QUOTAS));
    };
    expect(quotasOf('workflows=5, keys=7')).toEqual({ workflows: 5, keys: 7 });
    expect(quotasOf({ variableBytes: 1000 })).toEqual({ variableBytes: 1000 });
    expect(() => resourcesOf({ quotas: 'flows=5' })).toThrow(
      "there is no quota 'flows'; the quotas are variableBytes, ",
    );
  });

  test('name a function that does not exist', () => {
    expect(() => resourcesOf({ concurrency: '{"step": 5}' })).toThrow(
      "concurrency has 'step', which is no function; the functions are ",
    );
  });
});
