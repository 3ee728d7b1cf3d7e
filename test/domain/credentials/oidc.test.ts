import { describe, expect, test } from 'vitest';
import { grantsOf, rightsOf } from '../../../lib/domain/credentials/grants.ts';
import { oidcIn } from '../../../lib/domain/credentials/oidc.ts';
import type { GroupGrant } from '../../../lib/ports/tokens.ts';

const GIVEN = { issuer: 'https://id.example.com/realms/flows', audience: 'weft', groups: { ops: 'admin' } };

describe('the settings', () => {
  test('are an object or its text, and the grant of a group may be its permission alone', () => {
    const settings = { ...GIVEN, audience: ['weft'], groups: { ops: { permission: 'admin' } } };
    expect(oidcIn(GIVEN)).toEqual(settings);
    expect(oidcIn(JSON.stringify(GIVEN))).toEqual(settings);
    const all = { audience: ['a', 'b'], groupsClaim: 'cognito:groups', nameClaim: 'upn', client: 'c' };
    const groups = { dev: { permission: 'write', namespaces: ['demo'] } };
    expect(oidcIn({ ...GIVEN, ...all, groups })).toEqual({ ...GIVEN, ...all, groups });
    expect(oidcIn({ ...GIVEN, audience: 'a, b' }).audience).toEqual(['a', 'b']);
    expect(oidcIn({ ...GIVEN, issuer: 'http://127.0.0.1:8080' }).issuer).toBe('http://127.0.0.1:8080');
    expect(oidcIn({ ...GIVEN, issuer: 'http://[::1]:8080' }).issuer).toBe('http://[::1]:8080');
  });

  test.each([
    [{ issuer: undefined }, "issuer is ''; it must be a URL with https"],
    [{ issuer: 'http://id.example.com' }, "issuer is 'http://id.example.com'"],
    [{ issuer: 'id.example.com' }, "issuer is 'id.example.com'"],
    [{ issuer: 'http://127.0.0.1.example.com' }, 'it must be a URL with https'],
    [{ audience: undefined }, 'audience is missing'],
    [{ audience: [] }, 'audience is missing'],
    [{ groups: undefined }, 'groups has no group'],
    [{ groups: {} }, 'groups has no group'],
    [{ groups: { ops: 'root' } }, "the group 'ops' has no permission: one of worker, read, run, write, admin"],
    [{ groups: { ops: {} } }, "the group 'ops' has no permission"],
    [{ groups: { ops: { permission: 'read', namespace: 'a' } } }, "the group 'ops' has 'namespace'"],
    [{ groups: { ops: { permission: 'read', namespaces: [] } } }, 'leave them out for all'],
    [{ groups: { ops: { permission: 'read', namespaces: ['A B'] } } }, "the 'namespaces' of the group 'ops'"],
    [{ nameClaim: 7 }, 'nameClaim is no text'],
    [{ audiance: 'weft' }, "'audiance' is no member; the members are issuer, audience"],
  ])('are refused: %j', (wrong, reason) => {
    expect(() => oidcIn(JSON.parse(JSON.stringify({ ...GIVEN, ...wrong })))).toThrow(reason);
  });

  test('are refused if they are no object', () => {
    for (const wrong of ['[]', '7', null]) expect(() => oidcIn(wrong)).toThrow('it is no object with issuer');
  });
});

describe('the rights of groups', () => {
  const all = (permission: GroupGrant['permission']): GroupGrant => ({ permission });
  const some = (permission: GroupGrant['permission'], ...namespaces: string[]) => ({ permission, namespaces });

  test.each([
    ['of one group for all', [all('run')], 'a', { permission: 'run', namespaces: [] }],
    ['of one for some', [some('write', 'a')], 'a', { permission: 'write', namespaces: ['a'] }],
    ['are the strongest', [all('read'), all('admin'), all('run')], undefined, { permission: 'admin', namespaces: [] }],
    ['in a namespace of one', [all('read'), some('write', 'a')], 'a', { permission: 'write', namespaces: [] }],
    ['in another namespace', [all('read'), some('write', 'a')], 'b', { permission: 'read', namespaces: [] }],
    ['without a namespace', [all('read'), some('admin', 'a')], undefined, { permission: 'read', namespaces: [] }],
    [
      'are added up',
      [some('read', 'a', 'b'), some('write', 'b', 'c')],
      'b',
      { permission: 'write', namespaces: ['a', 'b', 'c'] },
    ],
    [
      'are not those elsewhere',
      [some('read', 'a'), some('admin', 'b')],
      'a',
      { permission: 'read', namespaces: ['a', 'b'] },
    ],
  ] as const)('%s', (_, grants, namespace, rights) => {
    expect(rightsOf(grants, namespace)).toEqual(rights);
  });

  test('are found by names that every object has, too', () => {
    expect(grantsOf({ groups: { ops: all('admin') } }, ['constructor', 'toString', 'ops'])).toEqual([all('admin')]);
  });
});
