import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { priceTemplates, type TemplatePrice } from '../../bin/cli/costs/template.ts';
import { READERS } from '../../cdk/settings/readers.ts';
import { MONTHLY, PRICED_IN, PRICED_ON } from '../../lib/pricing/prices.ts';
import { dataOf, makeApp, resourcesIn, resourcesOf } from './stack.ts';

const prices = new Map<string, TemplatePrice>();

/** The monthly price of an installation with these context values. */
function priceOf(context: Record<string, string>): TemplatePrice {
  const key = JSON.stringify(context);
  const known = prices.get(key);
  if (known !== undefined) return known;
  const { data, stack } = makeApp(context);
  const price = priceTemplates([{ Resources: resourcesIn(data) }, { Resources: resourcesIn(stack) }]);
  prices.set(key, price);
  return price;
}

const inbound = '[{"namespace": "files", "pattern": {"source": ["aws.s3"]}}]';
const outbound = '[{"target": "arn:aws:sqs:eu-west-1:123456789012:orders"}]';

describe('an idle installation', () => {
  test('costs nothing', () => {
    expect(priceOf({})).toMatchObject({ monthly: 0, paid: [], unknown: [] });
  });

  test.each([
    { inbound, outbound },
    { tracing: 'true' },
    { metrics: 'true' },
    { domain: 'flows.example.com', certificate: 'arn:aws:acm:eu-west-1:123456789012:certificate/a' },
    { streaming: 'false', retain: 'false', protect: 'false' },
    { encryptionKey: 'arn:aws:kms:eu-west-1:123456789012:key/0a' },
    { tags: '{"team": "flows"}', kms: 'arn:aws:kms:eu-west-1:123456789012:key/0a' },
  ] as Record<string, string>[])('costs nothing with the settings %o', (settings) => {
    expect(priceOf(settings)).toMatchObject({ monthly: 0, unknown: [] });
  });

  test.each([
    [{ kms: 'true' }, 1],
    [{ dashboard: 'true' }, 3],
    [{ alarms: 'ada@example.com' }, 1.4],
    [{ alarms: 'arn:aws:sns:eu-west-1:123456789012:alarms' }, 1.4],
    [{ alarms: 'ada@example.com', budget: '50' }, 1.4],
    [{ alarms: 'ada@example.com', rollout: 'Canary10Percent5Minutes' }, 1.4],
    [{ kms: 'true', dashboard: 'true', alarms: 'ada@example.com', tracing: 'true' }, 5.4],
  ] as [Record<string, string>, number][])('with the settings %o costs $%d a month', (settings, monthly) => {
    expect(priceOf(settings)).toMatchObject({ monthly, unknown: [] });
  });

  test('has no provisioned capacity, no caches and no KMS keys', () => {
    const text = JSON.stringify([resourcesOf(), dataOf()]);
    for (const word of [
      'ProvisionedThroughput',
      '"ProvisionedConcurrencyConfig"',
      'WarmThroughput',
      'CacheClusterEnabled":true',
      'KmsKeyId',
      'KMSMasterKey',
      'KmsKeyArn',
      'VpcConfig',
    ]) {
      expect(text).not.toContain(word);
    }
    expect(MONTHLY.key).toBeGreaterThan(0);
  });
});

describe('the table of settings in docs/deploying.md', () => {
  const page = readFileSync(new URL('../../docs/deploying.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| (`\w+`(?:, `\w+`)*) \| (\S+) \| \$([\d.]+) \| .+ \|$/gm)].flatMap(
    ([, names = '', fallback = '', price = '']) =>
      names.split(', ').map((name) => ({ name: name.slice(1, -1), fallback, price: Number(price) })),
  );
  const fallbackOf = (name: string): unknown => new Map(Object.entries(READERS)).get(name)?.fallback;
  /** Values of settings that are no flags, to price them. */
  const SAMPLES: Readonly<Record<string, string>> = { alarms: 'ada@example.com' };

  test('has every setting with its default', () => {
    expect(rows.map(({ name }) => name).toSorted()).toEqual(Object.keys(READERS).toSorted());
    for (const { name, fallback } of rows) {
      const value = fallbackOf(name);
      const isNone = value === undefined || typeof value === 'object';
      expect([name, fallback]).toEqual([name, isNone ? 'none' : `\`${value}\``]);
    }
  });

  test('names the date of its prices', () => {
    expect(page.replace(/\s+/g, ' ')).toContain(`those of ${PRICED_IN} as of ${PRICED_ON}`);
  });

  test('has the price of each setting with a price', () => {
    const isFlag = (name: string) => fallbackOf(name) === false;
    for (const { name, price } of rows.filter(({ name }) => isFlag(name) || name in SAMPLES)) {
      expect([name, priceOf({ [name]: SAMPLES[name] ?? 'true' }).monthly]).toEqual([name, price]);
    }
    expect(rows.reduce((sum, { price }) => sum + price, 0)).toBeCloseTo(5.4);
  });
});
