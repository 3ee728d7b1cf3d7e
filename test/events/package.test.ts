import { HTTP, type Message, CloudEvent as PackageEvent } from 'cloudevents';
import { describe, expect, test } from 'vitest';
import { decodeEvents } from '../../lib/events/decode.ts';
import fc from '../fast-check.ts';

/**
 * The package `cloudevents` is the type of an event and the other side of these tests. Its decoder is not used: each
 * test shows one place where it does not keep to the specification, and how Weft does.
 */

const STRUCTURED = 'application/cloudevents+json';
const BATCH = 'application/cloudevents-batch+json';
const EVENT = { specversion: '1.0', id: 'e-1', source: '/s', type: 't' };
const BINARY = { 'ce-specversion': '1.0', 'ce-id': 'e-1', 'ce-source': '/s', 'ce-type': 't' };

type Headers = Record<string, string>;

function theirs(headers: Headers, body: unknown): Record<string, unknown> {
  return { ...HTTP.toEvent({ headers, body } as Message) } as Record<string, unknown>;
}

function ours(headers: Headers, body: string): Readonly<Record<string, unknown>> {
  const [decoded] = decodeEvents({ headers, body: new TextEncoder().encode(body), newId: () => 'new-id' });
  return decoded ?? {};
}

const structured = (event: unknown, type = STRUCTURED): [Headers, string] => [
  { 'content-type': type },
  JSON.stringify(event),
];

describe('a binary event, in the package and here', () => {
  test('without an id is rejected; here it gets one', () => {
    const { 'ce-id': _, ...headers } = BINARY;
    expect(() => theirs(headers, '')).toThrow('no cloud event detected');
    expect(ours(headers, '')).toEqual({ event: { ...EVENT, id: 'new-id' } });
  });

  test('without a type is accepted; here it is invalid', () => {
    const { 'ce-type': _, ...headers } = BINARY;
    expect(theirs(headers, '')).toHaveProperty('type', undefined);
    expect(ours(headers, '')).toHaveProperty('event.type', 'noncompliant');
  });

  test('of an unknown version is accepted; here it is invalid', () => {
    expect(theirs({ ...BINARY, 'ce-specversion': '2.0' }, '')).toHaveProperty('specversion', '2.0');
    expect(ours({ ...BINARY, 'ce-specversion': '2.0' }, '')).toHaveProperty('event.error', 'unknown Message encoding');
  });

  test('with a malformed time gets the current time; here it is invalid', () => {
    expect(Date.parse(String(theirs({ ...BINARY, 'ce-time': 'now' }, '')['time']))).toBeGreaterThan(0);
    expect(ours({ ...BINARY, 'ce-time': 'now' }, '')).toHaveProperty('event.type', 'noncompliant');
  });

  test('with a JSON type other than application/json stays text; here it is parsed', () => {
    const headers = { ...BINARY, 'content-type': 'application/vnd.x+json' };
    expect(theirs(headers, '{"a":1}')).toHaveProperty('data', '{"a":1}');
    expect(ours(headers, '{"a":1}')).toHaveProperty('event.data', { a: 1 });
  });

  test('with JSON as bytes, which every body is, is not parsed; here it is', () => {
    const headers = { ...BINARY, 'content-type': 'application/json' };
    expect(theirs(headers, Buffer.from('{"a":1}'))['data']).toBeInstanceOf(Uint8Array);
    expect(ours(headers, '{"a":1}')).toHaveProperty('event.data', { a: 1 });
  });

  test('with a percent-encoded header stays encoded; here it is decoded', () => {
    const headers = { ...BINARY, 'ce-subject': 'Euro%20%E2%82%AC' };
    expect(theirs(headers, '')).toHaveProperty('subject', 'Euro%20%E2%82%AC');
    expect(ours(headers, '')).toHaveProperty('event.subject', 'Euro €');
  });

  test('with malformed JSON is an exception; here its bytes are kept', () => {
    const headers = { ...BINARY, 'content-type': 'application/json' };
    expect(() => theirs(headers, '{nope')).toThrow(SyntaxError);
    expect(ours(headers, '{nope')).toHaveProperty('event.data_base64', 'e25vcGU=');
  });
});

describe('a structured event, in the package and here', () => {
  test.each([`${STRUCTURED};charset=UTF-8`, 'Application/CloudEvents+JSON'])(
    'of type %s is rejected; here it is accepted',
    (type) => {
      expect(() => theirs(...structured(EVENT, type))).toThrow();
      expect(ours(...structured(EVENT, type))).toEqual({ event: EVENT });
    },
  );

  test.each([0, false, '', null])('loses the data %j; here it keeps it', (data) => {
    expect(theirs(...structured({ ...EVENT, data }))['data']).toBeUndefined();
    expect(ours(...structured({ ...EVENT, data }))).toEqual({ event: { ...EVENT, data } });
  });

  test('with binary data gets an array of numbers of four bytes; here it keeps the base64 text', () => {
    const event = { ...EVENT, data_base64: 'AAEC' };
    expect(theirs(...structured(event))['data']).toBeInstanceOf(Uint32Array);
    expect(ours(...structured(event))).toEqual({ event });
  });

  test('with a time loses digits, and without one gets one; here the time stays as it is', () => {
    const time = '2026-01-01T00:00:00.123456+02:00';
    expect(theirs(...structured({ ...EVENT, time }))).toHaveProperty('time', '2025-12-31T22:00:00.123Z');
    expect(theirs(...structured(EVENT))['time']).toBeTypeOf('string');
    expect(ours(...structured({ ...EVENT, time }))).toEqual({ event: { ...EVENT, time } });
    expect(ours(...structured(EVENT))).toEqual({ event: EVENT });
  });

  test('that is a list is accepted; here it is invalid', () => {
    expect(theirs(...structured([1]))).toHaveProperty('0', 1);
    expect(ours(...structured([1]))).toHaveProperty('event.error', 'specversion: no specversion\n');
  });

  test('sent as application/json is rejected; here it is accepted', () => {
    expect(() => theirs(...structured(EVENT, 'application/json'))).toThrow('no cloud event detected');
    expect(ours(...structured(EVENT, 'application/json'))).toEqual({ event: EVENT });
  });
});

test('an invalid element of a batch rejects the whole batch in the package; here the other elements are accepted', () => {
  const body = JSON.stringify([EVENT, { foo: 1 }]);
  expect(() => HTTP.toEvent({ headers: { 'content-type': BATCH }, body })).toThrow();
  const decoded = decodeEvents({ headers: { 'content-type': BATCH }, body: Buffer.from(body), newId: () => 'new-id' });
  expect(decoded).toEqual([{ event: EVENT }, { problem: 'specversion: no specversion\n' }]);
});

describe('an event that the package encodes', () => {
  const word = fc.stringMatching(/^[!-$&-~]{1,20}$/).filter((text) => !text.includes('"'));
  const given = fc.record(
    {
      id: word,
      source: fc.stringMatching(/^\/[a-z0-9]{1,20}$/),
      type: word,
      subject: word,
      time: fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((date) => date.toISOString()),
      myext: word,
      data: fc.dictionary(fc.string(), fc.jsonValue()),
    },
    { requiredKeys: ['id', 'source', 'type', 'time', 'data'] },
  );

  const decodedOf = ({ headers, body }: Message) => {
    const lowered = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
    const bytes = new TextEncoder().encode(String(body));
    return decodeEvents({ headers: Object.fromEntries(lowered), body: bytes, newId: () => 'new-id' });
  };

  test('is decoded as the same event, structured and binary', () => {
    fc.assert(
      fc.property(given, (attributes) => {
        const event = new PackageEvent({ ...attributes, datacontenttype: 'application/json' });
        const expected = JSON.parse(
          JSON.stringify({ ...attributes, specversion: '1.0', datacontenttype: 'application/json' }),
        ) as object;
        expect(decodedOf(HTTP.structured(event))).toEqual([{ event: expected }]);
        const binary = decodedOf(HTTP.binary(event));
        expect(binary).toEqual([
          { event: { ...expected, datacontenttype: expect.stringContaining('application/json') } },
        ]);
      }),
    );
  });
});
