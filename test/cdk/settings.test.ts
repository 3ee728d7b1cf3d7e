import { isDeepStrictEqual } from 'node:util';
import { App, Lazy } from 'aws-cdk-lib';
import { describe, expect, test } from 'vitest';
import { settingsOf, settingsWith } from '../../cdk/settings/read.ts';
import { READERS } from '../../cdk/settings/readers.ts';
import { EVERY_OPTION, OTHER_OPTIONS } from './options.ts';
import { makeApp, ofType, resourcesOf } from './stack.ts';

/** Reads the settings of an app with this context. */
const read = (context: Record<string, unknown>) => settingsOf(new App({ context, analyticsReporting: false }).node);

describe('settings', () => {
  test('installations with different names are separate', () => {
    const text = JSON.stringify(resourcesOf({ name: 'flows', brand: 'direktiv' }));
    expect(text).toContain('"WEFT_PREFIX":{"Fn::Join":["",["flows--",');
    expect(text).toContain('"WEFT_KEY_PARAMETER":"/flows"');
    expect(text).toContain('"WEFT_BRAND":"direktiv"');
    expect(text).toContain('"WEFT_RETENTION_DAYS":"30"');
    expect(text).not.toContain('weft-');
    const { stack, data } = makeApp({ name: 'flows' });
    expect([stack.stackName, data.stackName]).toEqual(['flows', 'flows-data']);
  });

  test('cost nothing by default', () => {
    expect(read({})).toEqual({
      name: 'weft',
      brand: 'service',
      streaming: true,
      retain: true,
      protect: true,
      encryptionKey: undefined,
      kms: false,
      rootKey: undefined,
      logDays: 30,
      retentionDays: 30,
      audit: 'changes',
      auditDays: 365,
      auditNamespace: undefined,
      requestsPerSecond: undefined,
      concurrency: {},
      maxWaitingRequests: undefined,
      startBudgetMs: 100,
      waits: 'machine',
      maxDescendants: 100_000,
      maxActiveRuns: undefined,
      maxStartsPerSecond: undefined,
      lambdas: [],
      secretSources: [],
      vault: undefined,
      oidc: undefined,
      iam: undefined,
      inbound: [],
      outbound: [],
      domain: undefined,
      certificate: undefined,
      alarms: undefined,
      budget: undefined,
      rollout: 'AllAtOnce',
      vpc: undefined,
      vpcEndpoints: [],
      webAcl: undefined,
      permissionsBoundary: undefined,
      dashboard: false,
      metrics: false,
      loggingRole: true,
      tracing: false,
      quotas: {},
      otel: {},
      tags: {},
      version: expect.stringMatching(/^v\d+\.\d+\.\d+$/),
    });
  });

  test('export traces by the standard variables, and refuse what the functions could not use', () => {
    const otel = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example.com', OTEL_SERVICE_NAME: 'flows' };
    expect(read({ otel: JSON.stringify(otel) }).otel).toEqual(otel);
    for (const [name, value] of Object.entries(otel)) {
      expect(JSON.stringify(resourcesOf({ otel }))).toContain(`"${name}":"${value}"`);
    }
    expect(() => read({ otel: { OTEL_EXPORTER_OTLP_ENDPONT: 'https://a.example' } })).toThrow(
      'is no table of variables',
    );
    const refused = [
      [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'a.example' }, 'it must be a URL such as http://localhost:4318'],
      [{ ...otel, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'Weft exports traces as http/json'],
      [{ ...otel, OTEL_RESOURCE_ATTRIBUTES: `a=${'x'.repeat(1000)}` }, 'more than 1000 characters'],
    ] as const;
    for (const [wrong, text] of refused) expect(() => read({ otel: wrong })).toThrow(text);
  });

  test('name the Lambda functions that workflows may invoke, and refuse what is none', () => {
    const names = ['fraud-score', 'arn:aws:lambda:eu-west-1:123456789012:function:report:live'];
    expect(read({ lambdas: JSON.stringify(names) }).lambdas).toEqual(names);
    for (const wrong of ['["*"]', '["weft-*"]', '["a b"]', '["arn:aws:lambda:eu-west-1::function:a"]', '"a"', '[""]']) {
      expect(() => read({ lambdas: wrong }), wrong).toThrow('lambdas=');
    }
  });

  test('name the secrets elsewhere that namespaces may use, and refuse what is unsafe', () => {
    const sources = ['aws-sm:weft/{namespace}/*', '*=aws-ssm:/shared/token'];
    expect(read({ secretSources: sources.join(', ') }).secretSources).toEqual(sources);
    expect(read({ secretSources: sources }).secretSources).toEqual(sources);
    const refused = [
      ['aws-sm:prod/db', 'does not say which namespaces'],
      ['*=env:A', 'works on one machine alone'],
      [`*=aws-sm:${'x'.repeat(500)} `.repeat(3), 'is too long'],
    ] as const;
    for (const [wrong, text] of refused) expect(() => read({ secretSources: wrong })).toThrow(text);
    const vault = { address: 'https://vault.example.com', login: '/our/vault' };
    expect(read({ vault: JSON.stringify(vault) }).vault).toEqual(vault);
    for (const wrong of [
      { address: 'vault', login: '/a' },
      { ...vault, login: 'a' },
      { ...vault, token: 'hunter2' },
    ]) {
      expect(() => read({ vault: JSON.stringify(wrong) })).toThrow('is no server of Vault');
    }
  });

  test('name an issuer for the functions, also one that is known at deployment, and refuse what they could not use', () => {
    const oidc = { issuer: 'https://id.example.com', audience: 'weft', groups: { ops: 'admin' } };
    const used = { ...oidc, audience: ['weft'], groups: { ops: { permission: 'admin' } } };
    expect(read({ oidc: JSON.stringify(oidc) }).oidc).toEqual(used);
    const given = settingsWith({ oidc: used as never });
    expect(given.oidc).toEqual(used);
    const issuer = Lazy.string({ produce: () => 'https://later.example.com' });
    expect(settingsWith({ oidc: { ...used, issuer } as never }).oidc).toEqual({ ...used, issuer });
    const environments = (context: Record<string, unknown>) =>
      ofType(resourcesOf(context), 'AWS::Lambda::Function').map(
        ([, { Properties }]) =>
          (Properties['Environment'] as { Variables: Record<string, string> } | undefined)?.Variables ?? {},
      );
    const texts = environments({ oidc }).map(({ WEFT_OIDC }) => WEFT_OIDC);
    expect(new Set(texts.filter((text) => text !== undefined))).toEqual(new Set([JSON.stringify(used)]));
    expect(JSON.stringify(environments({}))).not.toContain('WEFT_OIDC');
    const refused = [
      [{ ...oidc, issuer: 'http://id.example.com' }, "cannot be used: issuer is 'http://id.example.com'"],
      [{ ...oidc, groups: { ops: 'root' } }, "cannot be used: the group 'ops' has no permission"],
      [{ ...oidc, client: 'x'.repeat(1500) }, 'at most 1500 are possible'],
    ] as const;
    for (const [wrong, text] of refused) expect(() => read({ oidc: JSON.stringify(wrong) })).toThrow(text);
  });

  test('name principals of IAM for the functions, with the host of the API as their audience', () => {
    const role = 'arn:aws:iam::123456789012:role/deployers';
    const iam = { principals: { [role]: { permission: 'write' } } } as const;
    expect(read({ iam: JSON.stringify({ principals: { [role]: 'write' } }) }).iam).toEqual(iam);
    const later = Lazy.string({ produce: () => role });
    const ofApp = { principals: { [later]: { permission: 'read' } } } as const;
    expect(settingsWith({ iam: ofApp }).iam).toEqual(ofApp);
    const textsOf = (context: Record<string, unknown>): string[] =>
      ofType(resourcesOf(context), 'AWS::Lambda::Function').flatMap(([, { Properties }]) => {
        const { Variables } = (Properties['Environment'] ?? {}) as { Variables?: Record<string, unknown> };
        return Variables?.['WEFT_IAM'] === undefined ? [] : [JSON.stringify(Variables['WEFT_IAM'])];
      });
    const [text, ...others] = new Set(textsOf({ iam }));
    expect(others).toEqual([]);
    expect(text).toMatch(/"Ref":"\w*Rest\w*"\},"\.execute-api\./);
    const domain = { domain: 'flows.example.com', certificate: 'arn:aws:acm:eu-west-1:123456789012:certificate/a' };
    expect(new Set(textsOf({ iam, ...domain }))).toEqual(
      new Set([JSON.stringify(JSON.stringify({ audience: 'flows.example.com', ...iam }))]),
    );
    expect(textsOf({})).toEqual([]);
    const refused = [
      [{ principals: {} }, 'cannot be used: principals has none'],
      [{ principals: { [role]: 'root' } }, `cannot be used: the principal '${role}' has no permission`],
      [{ principals: { 'arn:aws:iam::*:root': 'read' } }, "cannot be used: 'arn:aws:iam::*:root' is no principal"],
      [[], 'cannot be used: it is no object'],
      [
        { principals: Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${role}-${n}`, 'read'])) },
        'at most 1000 are possible',
      ],
    ] as const;
    for (const [wrong, message] of refused) expect(() => read({ iam: JSON.stringify(wrong) })).toThrow(message);
  });

  test('only functions that run states may read the secrets elsewhere, and those alone', () => {
    const resources = resourcesOf({
      secretSources: 'aws-sm:weft/{namespace}/* *=aws-sm:one *=aws-ssm:/shared/token *=vault:secret/a/*',
      vault: '{"address": "https://vault.example.com", "login": "/our/vault"}',
    });
    const textOf = (value: unknown): string => JSON.stringify(value).replaceAll(/\{"Ref":"AWS::(\w+)"\}/g, '<$1>');
    const policies = ofType(resources, 'AWS::IAM::Policy').map(([, { Properties }]) => Properties);
    const able = policies.filter((one) => textOf(one).includes('secretsmanager:GetSecretValue'));
    const roles = able.map((one) => textOf(one['Roles']).replace(/.*"(\w+?)Role.*/, '$1'));
    expect(roles.toSorted()).toEqual(
      ['cron', 'events', 'router', 'steps', 'tree', 'workers'].map((name) => `Functions${name}`),
    );
    for (const one of able) {
      const names = [...textOf(one).matchAll(/:(secret:[^"]+|parameter\/(?:shared|our)[^"]*)"/g)].map(
        ([, name]) => name,
      );
      const [sm, ssm] = [
        ['secret:weft/*/*', 'secret:one-??????'],
        ['parameter/shared/token', 'parameter/our/vault'],
      ];
      // Each is named by the right to read it and by the condition of the right to decrypt it.
      expect(names.toSorted()).toEqual([...sm, ...sm, ...ssm, ...ssm].toSorted());
    }
    const variables = ofType(resources, 'AWS::Lambda::Function').map(([, { Properties }]) => textOf(Properties));
    expect(variables.some((text) => text.includes('"VAULT_LOGIN_PARAMETER":"/our/vault"'))).toBe(true);
    expect(textOf(resourcesOf({}))).not.toMatch(/secretsmanager|VAULT_|WEFT_SECRET_SOURCES/);
  });

  test('only the functions that are named may be invoked by steps and machines', () => {
    const granted =
      JSON.stringify(resourcesOf({ lambdas: '["fraud-score"]' })).match(/:function:fraud-score(:\*)?"/g) ?? [];
    expect(granted.length).toBeGreaterThanOrEqual(6);
    expect(JSON.stringify(resourcesOf({}))).not.toContain('fraud-score');
  });

  test('are the same from the command line, from cdk.json and from the properties of a construct', () => {
    const texts = { streaming: 'false', logDays: '7', tags: '{"a":"b"}', inbound: '[{"namespace":"a","pattern":{}}]' };
    const values = { streaming: false, logDays: 7, tags: { a: 'b' }, inbound: [{ namespace: 'a', pattern: {} }] };
    expect(read(texts)).toEqual(read(values));
    expect(settingsWith(values)).toEqual(read(values));
    expect(settingsWith(read(values))).toEqual(read(values));
  });

  test.each([
    ['name', 'Has Spaces'],
    ['name', 'aws-weft'],
    ['name', 'weft-data'],
    ['name', 'two--hyphens'],
    ['name', 'ends-'],
    ['name', 'a-name-of-more-than-letters-24'],
    ['brand', ''],
    ['streaming', 'maybe'],
    ['retain', '0'],
    ['protect', '1'],
    ['encryptionKey', 'alias/mine'],
    ['kms', 'yes'],
    ['kms', 'arn:aws:kms:eu-west-1:123456789012:alias/mine'],
    ['rootKey', 'no-slash'],
    ['logDays', '2'],
    ['logDays', 'many'],
    ['retentionDays', '0'],
    ['retentionDays', '3651'],
    ['audit', 'some'],
    ['auditDays', '0'],
    ['auditNamespace', 'Has Spaces'],
    ['requestsPerSecond', '0'],
    ['requestsPerSecond', 'many'],
    ['concurrency', 'steps'],
    ['concurrency', '{"steps": 0}'],
    ['maxWaitingRequests', '0'],
    ['startBudgetMs', '-1'],
    ['startBudgetMs', '5001'],
    ['waits', 'lambda'],
    ['maxDescendants', '-1'],
    ['maxActiveRuns', '0'],
    ['maxActiveRuns', 'many'],
    ['maxStartsPerSecond', '0.5'],
    ['maxStartsPerSecond', '2000000000'],
    ['brand', 'aws'],
    ['inbound', 'orders'],
    ['inbound', '[{"namespace": "orders"}]'],
    ['outbound', '[{"target": "queue"}]'],
    ['outbound', '[{"target": "arn:aws:sqs:eu-west-1:1:q", "type": ["a"]}]'],
    ['alarms', 'ada'],
    ['alarms', 'arn:aws:sqs:eu-west-1:123456789012:orders'],
    ['budget', '0'],
    ['budget', '$5'],
    ['rollout', 'Canary'],
    ['vpc', 'vpc-0a1b2c3d'],
    ['vpc', '{"subnets": [], "securityGroups": ["sg-0a1b2c3d"]}'],
    ['vpcEndpoints', '["sg-0a1b2c3d"]'],
    ['webAcl', 'flows'],
    ['permissionsBoundary', 'boundary'],
    ['dashboard', 'on'],
    ['tracing', ''],
    ['tags', 'team=flows'],
    ['tags', '{"aws:team": "flows"}'],
    ['tags', '{"team": 42}'],
    ['domain', 'not a domain'],
    ['certificate', 'arn:aws:iam::123456789012:server-certificate/x'],
  ])('%s=%s is rejected by name', (key, value) => {
    expect(() => read({ [key]: value })).toThrow(`the context value ${key}=${value} `);
  });

  test.each([
    ['Has Spaces', 'for example has-spaces'],
    ['Größe', 'for example gr-e'],
    ['prod_eu', 'for example prod-eu'],
    ['weft-data', 'for example weft'],
    ['--', 'not ending with -data'],
  ])('the error for the name %s ends with: %s', (name, end) => {
    expect(() => read({ name })).toThrow(new RegExp(`${end}$`));
  });

  test('an unknown setting is rejected, and the context values of CDK are ignored', () => {
    expect(() => read({ nmae: 'flows' })).toThrow(
      'the context value nmae=flows is no setting; the settings are name, brand',
    );
    expect(read({ 'aws:cdk:enable-path-metadata': true, 'cli-telemetry': false }).name).toBe('weft');
  });

  test('a domain needs its certificate, and secrets have one root key', () => {
    expect(() => read({ domain: 'flows.example.com' })).toThrow('domain=flows.example.com needs certificate as well');
    const named = { domain: 'flows.example.com', certificate: 'arn:aws:acm:eu-west-1:123456789012:certificate/a' };
    expect(() => read({ ...named, vpcEndpoints: '["vpce-0a1b2c3d"]' })).toThrow('vpcEndpoints exclude each other');
    expect(() => read({ budget: '50' })).toThrow('budget=50 needs alarms as well');
    expect(() => read({ rollout: 'Linear10PercentEvery1Minute' })).toThrow('needs alarms as well');
    expect(() => read({ rootKey: '/mine', kms: 'true' })).toThrow('rootKey=/mine and kms exclude each other');
  });

  test('are all among those that the linters and the rules of security try, except names', () => {
    const tried = { ...EVERY_OPTION, ...OTHER_OPTIONS, name: '', brand: '' };
    expect(Object.keys(tried).toSorted()).toEqual(Object.keys(READERS).toSorted());
    const values = new Map<string, unknown>(Object.entries(read(EVERY_OPTION)));
    const names = Object.keys(EVERY_OPTION) as (keyof typeof EVERY_OPTION)[];
    const same = names.filter((name) => isDeepStrictEqual(values.get(name), READERS[name].fallback));
    expect(same).toEqual([]);
  });

  test('a property of a construct is rejected by its name', () => {
    expect(() => settingsWith({ name: 'Prod' })).toThrow('the property name: Prod is no valid name');
  });
});
