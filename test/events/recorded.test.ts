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

/** What the original answers for a reason that is not the event: the id is taken, the path is wrong. */
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

describe('a request recorded of the original', () => {
  test('is there to be compared with', () => {
    expect(exchanges.length).toBeGreaterThan(15);
  });

  test.each(exchanges.filter(({ status }) => status === 200).map((one) => [one.label, one] as const))(
    '%s is taken',
    (_, exchange) => {
      expect(decode(exchange).filter((decoded) => 'problem' in decoded)).toEqual([]);
    },
  );

  test.each(exchanges.filter(({ status }) => status !== 200).map((one) => [one.label, one] as const))(
    '%s is refused in the same words',
    (_, exchange) => {
      const { message } = JSON.parse(exchange.resBody) as { message: string };
      expect(decode(exchange)).toEqual([{ problem: message }]);
    },
  );

  test('is no event where the original said so', () => {
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
