import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSettings } from '../../bin/server/settings.ts';

describe('the settings of npm start', () => {
  test('have generous limits of runs by default', () => {
    expect(readSettings({}).limits).toEqual({ activeRuns: 100_000, startsPerSecond: undefined, descendants: 100_000 });
    expect(readSettings({ WEFT_MAX_ACTIVE_RUNS: '7' }).limits?.activeRuns).toBe(7);
  });

  test.each(['WEFT_MAX_ACTIVE_RUNS', 'WEFT_MAX_STARTS_PER_SECOND', 'WEFT_MAX_DESCENDANTS', 'WEFT_MAX_CONNECTIONS'])(
    'reject a value of %s that is no limit',
    (name) => {
      for (const text of ['0', '-1', 'x', '1.5']) {
        expect(() => readSettings({ [name]: text })).toThrow(`${name} is '${text}'; it must be a number from 1`);
      }
    },
  );

  test('reject a format of the log that is unknown', () => {
    expect([readSettings({}).log, readSettings({ WEFT_LOG: 'json' }).log]).toEqual(['text', 'json']);
    expect(() => readSettings({ WEFT_LOG: 'yaml' })).toThrow("WEFT_LOG is 'yaml'; it must be text or json");
  });

  test('have no secrets elsewhere by default, and reject what does not say who may use it', () => {
    expect(readSettings({})).toMatchObject({ secretSources: [], vault: undefined });
    const WEFT_SECRET_SOURCES = 'team=env:TOKEN';
    expect(readSettings({ WEFT_SECRET_SOURCES }).secretSources).toEqual([
      { kind: 'env', name: 'TOKEN', isPrefix: false, namespace: 'team' },
    ]);
    expect(() => readSettings({ WEFT_SECRET_SOURCES: 'env:TOKEN' })).toThrow(
      "WEFT_SECRET_SOURCES: 'env:TOKEN' does not say which namespaces may use it",
    );
    expect(() => readSettings({ VAULT_ADDR: 'https://vault.example.com' })).toThrow('VAULT_ADDR needs VAULT_TOKEN');
  });

  test('have no issuer of tokens by default, and groups as JSON or in a file', () => {
    expect(readSettings({}).oidc).toBeUndefined();
    const WEFT_OIDC_ISSUER = 'https://id.example.com';
    const given = { WEFT_OIDC_ISSUER, WEFT_OIDC_AUDIENCE: 'weft' };
    const groups = '{"ops":"admin"}';
    const settings = { issuer: WEFT_OIDC_ISSUER, audience: ['weft'], groups: { ops: { permission: 'admin' } } };
    expect(readSettings({ ...given, WEFT_OIDC_GROUPS: groups }).oidc).toEqual(settings);
    const file = join(mkdtempSync(join(tmpdir(), 'weft-groups-')), 'groups.json');
    writeFileSync(file, groups);
    const others = { WEFT_OIDC_GROUPS_CLAIM: 'roles', WEFT_OIDC_NAME_CLAIM: 'upn', WEFT_OIDC_CLIENT: 'c' };
    expect(readSettings({ ...given, ...others, WEFT_OIDC_GROUPS: file }).oidc).toEqual({
      ...settings,
      ...{ groupsClaim: 'roles', nameClaim: 'upn', client: 'c' },
    });
    expect(() => readSettings({ WEFT_OIDC_AUDIENCE: 'weft' })).toThrow(
      'the variables WEFT_OIDC_* need WEFT_OIDC_ISSUER as well',
    );
    expect(() => readSettings(given)).toThrow('WEFT_OIDC_*: groups has no group');
    expect(() => readSettings({ ...given, WEFT_OIDC_GROUPS: '/none.json' })).toThrow('WEFT_OIDC_*: ENOENT');
    expect(() => readSettings({ ...given, WEFT_OIDC_GROUPS: '{"ops"' })).toThrow('WEFT_OIDC_*: ');
  });

  test('name principals of IAM as JSON or in a file, with the host of the service as their audience', () => {
    const role = 'arn:aws:iam::123456789012:role/deployers';
    const WEFT_IAM_PRINCIPALS = `{"${role}":"write"}`;
    const principals = { [role]: { permission: 'write' } };
    const iamOf = (given: Readonly<Record<string, string>>) => readSettings({ WEFT_IAM_PRINCIPALS, ...given }).iam;
    expect(readSettings({}).iam).toBeUndefined();
    expect(iamOf({ WEFT_URL: 'https://flows.example.com:8443/weft' })).toEqual({
      audience: 'flows.example.com:8443',
      principals,
    });
    expect(iamOf({ WEFT_URL: 'https://flows.example.com', WEFT_IAM_AUDIENCE: 'other' })?.audience).toBe('other');
    const file = join(mkdtempSync(join(tmpdir(), 'weft-principals-')), 'principals.json');
    writeFileSync(file, WEFT_IAM_PRINCIPALS);
    expect(iamOf({ WEFT_IAM_PRINCIPALS: file, WEFT_IAM_AUDIENCE: 'a' })).toEqual({ audience: 'a', principals });
    expect(() => iamOf({})).toThrow('WEFT_IAM_PRINCIPALS needs WEFT_URL, or WEFT_IAM_AUDIENCE, as well');
    expect(() => readSettings({ WEFT_IAM_AUDIENCE: 'a' })).toThrow(
      'WEFT_IAM_AUDIENCE needs WEFT_IAM_PRINCIPALS as well',
    );
    expect(() => iamOf({ WEFT_IAM_AUDIENCE: 'a', WEFT_IAM_PRINCIPALS: '{"*":"read"}' })).toThrow(
      "WEFT_IAM_*: '*' is no principal",
    );
  });

  test('reject a short key', () => {
    expect(readSettings({ APIKEY: 'sixteen-or-more!' }).apiKey).toBe('sixteen-or-more!');
    for (const key of ['short', 'fifteen-or-less', 'with a space in it'])
      expect(() => readSettings({ APIKEY: key })).toThrow('APIKEY must have at least 16 visible ASCII characters');
  });
});
