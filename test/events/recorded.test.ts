import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { decodeEvents } from '../../lib/events/decode.ts';

interface Exchange {
  readonly label: string;
  readonly reqHeaders: Readonly<Record<string, string>>;
  readonly reqBody: string;
  readonly status: number;
  readonly resBody: string;
}

/** Statuses whose reason is not the event: an id that exists, an unknown path. */
const OTHER_STATUSES = new Set([404, 405, 409]);

const exchanges = readFileSync(new URL('../conformance/http.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.includes('"label": "bc-'))
  .map((line) => JSON.parse(line) as Exchange)
  .filter(({ status }) => !OTHER_STATUSES.has(status));

function decode({ reqHeaders, reqBody }: Exchange) {
  const headers = Object.fromEntries(Object.entries(reqHeaders).map(([name, value]) => [name.toLowerCase(), value]));
  return decodeEvents({ headers, body: new TextEncoder().encode(reqBody), newId: () => 'new-id' });
}

describe('a request that was recorded at the original', () => {
  test('is among the recordings', () => {
    expect(exchanges.length).toBeGreaterThan(15);
  });

  test.each(exchanges.filter(({ status }) => status === 200).map((one) => [one.label, one] as const))(
    '%s is accepted',
    (_, exchange) => {
      expect(decode(exchange).filter((decoded) => 'problem' in decoded)).toEqual([]);
    },
  );

  test.each(exchanges.filter(({ status }) => status !== 200).map((one) => [one.label, one] as const))(
    '%s is rejected with the same text',
    (_, exchange) => {
      const { message } = JSON.parse(exchange.resBody) as { message: string };
      expect(decode(exchange)).toEqual([{ problem: message }]);
    },
  );

  test('is noncompliant where it was at the original', () => {
    const kept = exchanges.filter((one) =>
      decode(one).some((found) => 'event' in found && found.event.type === 'noncompliant'),
    );
    expect(kept.map(({ label }) => label)).toEqual([
      'bc-structured-nosource',
      'bc-structured-nospec',
      'bc-structured-notype',
      'bc-structured-badtime',
      'bc-nc-json',
      'bc-nc-badjson',
      'bc-nc-noctype',
      'bc-nc-bin',
    ]);
  });
});
