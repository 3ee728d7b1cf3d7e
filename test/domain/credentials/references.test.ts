import { describe, expect, test } from 'vitest';
import { secretSourcesIn, toExternalValue } from '../../../lib/domain/credentials/references.ts';

/** The code of the refusal of a reference; undefined if the namespace may use it. */
function refused(sources: string, namespace: string, reference: string, cache?: string): string | undefined {
  const settings = { brand: 'service', version: 'v0', secretSources: secretSourcesIn(sources) };
  try {
    const value = toExternalValue({ settings }, { name: namespace }, reference, cache);
    expect(value).toEqual({ reference, ...(cache === undefined ? {} : { cache }) });
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const ALL = '*=aws-ssm:/* *=env:A* *=vault:secret/* *=aws-sm:a/* *=aws-sm:b *=aws-sm:/a/*';

describe('a reference', () => {
  test.each([
    'aws-sm:a/db#password',
    'aws-sm:a/db',
    'aws-sm:b#a field / with: signs',
    'aws-sm:/a/db',
    'aws-ssm:/a',
    'aws-ssm:/a/b.c#token',
    'vault:secret/a/b#token',
    'env:A_TOKEN',
  ])('can be %s', (reference) => {
    expect(refused(ALL, 'demo', reference)).toBeUndefined();
  });

  test.each([
    'A-SECRET-VALUE',
    '',
    'aws-sm:',
    'aws-sm:a/../b',
    'aws-sm:a//b',
    'aws-sm:a/./b',
    'aws-sm:arn:aws:secretsmanager:eu-west-1:123456789012:secret:other-AbCdEf',
    'aws-sm:a/b#',
    'aws-sm:a/b#x\ny',
    'aws-ssm:a',
    'aws-ssm:/a/',
    'aws-ssm:/a:3',
    'vault:secret/a',
    'vault:secret#a',
    'vault:secret/../sys/seal#a',
    'vault:secret/%2e%2e/b#a',
    'vault:secret/a?version=1#a',
    'vault:secret/a/#a',
    'env:A-B',
    'env:A#a',
    'gcp:a',
    'constructor:a',
    `aws-sm:a/${'x'.repeat(1024)}`,
  ])('cannot be %j', (reference) => {
    expect(refused(ALL, 'demo', reference)).toBe('malformed');
  });

  test('that is the secret itself by mistake is not in the message', () => {
    const settings = { brand: 'service', version: 'v0', secretSources: secretSourcesIn(ALL) };
    expect(() => toExternalValue({ settings }, { name: 'demo' }, 'hunter2', undefined)).toThrow(/^(?!.*hunter2)/);
  });

  test.each([
    ['PT0S', undefined],
    ['P1D', undefined],
    ['P1DT1S', 'malformed'],
    ['P1M', 'malformed'],
    ['5m', 'malformed'],
  ])('with the cache %s is %s', (cache, code) => {
    expect(refused(ALL, 'demo', 'env:A_TOKEN', cache)).toBe(code);
  });
});

describe('the operator lets a namespace use', () => {
  test.each([
    ['', 'demo', 'aws-sm:a', 'forbidden'],
    ['aws-sm:weft/{namespace}/*', 'demo', 'aws-sm:weft/demo/db', undefined],
    ['aws-sm:weft/{namespace}/*', 'demo', 'aws-sm:weft/demo/a/b#c', undefined],
    ['aws-sm:weft/{namespace}/*', 'demo', 'aws-sm:weft/demo', 'forbidden'],
    ['aws-sm:weft/{namespace}/*', 'demo', 'aws-sm:weft/demo-2/db', 'forbidden'],
    ['aws-sm:weft/{namespace}/*', 'demo', 'aws-sm:weft/other/db', 'forbidden'],
    ['aws-sm:weft/{namespace}/*', 'demo', 'aws-sm:WEFT/demo/db', 'forbidden'],
    ['aws-sm:weft/{namespace}/*', 'demo', 'aws-sm:weft/{namespace}/db', 'malformed'],
    ['aws-sm:weft/{namespace}/*', 'demo', 'aws-ssm:/weft/demo/db', 'forbidden'],
    ['aws-ssm:/weft/{namespace}/token', 'demo', 'aws-ssm:/weft/demo/token', undefined],
    ['aws-ssm:/weft/{namespace}/token', 'demo', 'aws-ssm:/weft/demo/tokens', 'forbidden'],
    ['team=vault:secret/team/*', 'team', 'vault:secret/team/db#a', undefined],
    ['team=vault:secret/team/*', 'team-2', 'vault:secret/team/db#a', 'forbidden'],
    ['*=env:WEFT_SECRET_*', 'any', 'env:WEFT_SECRET_A', undefined],
    ['*=env:WEFT_SECRET_*', 'any', 'env:PATH', 'forbidden'],
    ['env:TOKEN_{namespace}', 'demo', 'env:TOKEN_demo', undefined],
    ['env:TOKEN_{namespace}', 'demo', 'env:TOKEN_demo2', 'forbidden'],
    ['a=aws-sm:x, b=aws-sm:y', 'b', 'aws-sm:y#z', undefined],
    ['a=aws-sm:x, b=aws-sm:y', 'b', 'aws-sm:x', 'forbidden'],
  ])('by %j, as %s, %s: %s', (sources, namespace, reference, code) => {
    expect(refused(sources, namespace, reference)).toBe(code);
  });

  test('what the refusal names', () => {
    const secretSources = secretSourcesIn('aws-sm:weft/{namespace}/* other=aws-sm:theirs/* *=env:SHARED');
    const settings = { brand: 'service', version: 'v0', secretSources };
    expect(() => toExternalValue({ settings }, { name: 'demo' }, 'aws-sm:theirs/db#a', undefined)).toThrow(
      "namespace 'demo' may not use aws-sm:theirs/db; it may use aws-sm:weft/demo/*, env:SHARED: " +
        "ask the operator to add it to the setting 'secretSources' or WEFT_SECRET_SOURCES",
    );
  });
});

describe('the setting', () => {
  test.each([
    ['aws-sm:prod/db', 'write team=aws-sm:prod/db, or *=aws-sm:prod/db for all'],
    ['a=aws-sm:weft/{namespace}/*', 'only one of the two'],
    ['Team=aws-sm:prod/db', "'Team' in"],
    ['*=aws-sm:*', 'names no secrets'],
    ['*=aws-sm:prod*', 'names no secrets'],
    ['*=env:*', 'names no secrets'],
    ['aws-sm:weft/{namespace}*', 'names no secrets'],
    ['aws-sm:weft/{namespace}-x/*', 'names no secrets'],
    ['aws-sm:{namespace}/{namespace}/*', 'names no secrets'],
    ['env:X_{namespace}_*', 'names no secrets'],
    ['*=aws-sm:a/*/b', 'names no secrets'],
    ['*=vault:secret/../sys/*', 'names no secrets'],
    ['*=aws-sm:a#b', 'names no secrets'],
    ['*=gcp:a', 'names no secrets'],
    ['aws-sm:a/{namespace}/* aws-sm:a/b/{namespace}/*', 'aws-sm:a/{namespace} overlaps aws-sm:a/b/{namespace}'],
    ['aws-sm:{namespace}/* aws-sm:weft/{namespace}/x', 'overlaps'],
  ])('cannot be %j', (text, message) => {
    expect(() => secretSourcesIn(text)).toThrow(message);
  });

  test('can name several places below the same one', () => {
    expect(secretSourcesIn('aws-sm:a/{namespace} aws-sm:a/{namespace}/*\nvault:a/{namespace}/*')).toHaveLength(3);
  });
});
