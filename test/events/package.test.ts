import { HTTP, type Message, CloudEvent as PackageEvent } from 'cloudevents';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeEvents } from '../../lib/events/decode.ts';

/**
 * The package `cloudevents` is the type of an event and the other side of these tests. Its decoder is not used: each
 * test shows one place where it does not keep to the specification, and what is done instead.
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

describe('what the package makes wrong of a binary event', () => {
  test('one without an id is refused; it gets one', () => {
    const { 'ce-id': _, ...headers } = BINARY;
    expect(() => theirs(headers, '')).toThrow('no cloud event detected');
    expect(ours(headers, '')).toEqual({ event: { ...EVENT, id: 'new-id' } });
  });

  test('one without a type is taken; it is none', () => {
    const { 'ce-type': _, ...headers } = BINARY;
    expect(theirs(headers, '')).toHaveProperty('type', undefined);
    expect(ours(headers, '')).toHaveProperty('event.type', 'noncompliant');
  });

  test('an unknown version is taken; it is none', () => {
    expect(theirs({ ...BINARY, 'ce-specversion': '2.0' }, '')).toHaveProperty('specversion', '2.0');
    expect(ours({ ...BINARY, 'ce-specversion': '2.0' }, '')).toHaveProperty('event.error', 'unknown Message encoding');
  });

  test('a malformed time becomes the present one; it is no event', () => {
    expect(Date.parse(String(theirs({ ...BINARY, 'ce-time': 'now' }, '')['time']))).toBeGreaterThan(0);
    expect(ours({ ...BINARY, 'ce-time': 'now' }, '')).toHaveProperty('event.type', 'noncompliant');
  });

  test('JSON of another type than application/json stays text; it is a value', () => {
    const headers = { ...BINARY, 'content-type': 'application/vnd.x+json' };
    expect(theirs(headers, '{"a":1}')).toHaveProperty('data', '{"a":1}');
    expect(ours(headers, '{"a":1}')).toHaveProperty('event.data', { a: 1 });
  });

  test('JSON that comes as bytes, as every body does, is not read; it is', () => {
    const headers = { ...BINARY, 'content-type': 'application/json' };
    expect(theirs(headers, Buffer.from('{"a":1}'))['data']).toBeInstanceOf(Uint8Array);
    expect(ours(headers, '{"a":1}')).toHaveProperty('event.data', { a: 1 });
  });

  test('a percent-encoded header stays encoded; it is decoded', () => {
    const headers = { ...BINARY, 'ce-subject': 'Euro%20%E2%82%AC' };
    expect(theirs(headers, '')).toHaveProperty('subject', 'Euro%20%E2%82%AC');
    expect(ours(headers, '')).toHaveProperty('event.subject', 'Euro €');
  });

  test('broken JSON is an exception; its bytes are kept', () => {
    const headers = { ...BINARY, 'content-type': 'application/json' };
    expect(() => theirs(headers, '{nope')).toThrow(SyntaxError);
    expect(ours(headers, '{nope')).toHaveProperty('event.data_base64', 'e25vcGU=');
  });
});

describe('what the package makes wrong of a structured event', () => {
  test.each([`${STRUCTURED};charset=UTF-8`, 'Application/CloudEvents+JSON'])(
    '%s is not known to it; it is read',
    (type) => {
      expect(() => theirs(...structured(EVENT, type))).toThrow();
      expect(ours(...structured(EVENT, type))).toEqual({ event: EVENT });
    },
  );

  test.each([0, false, '', null])('the data %j is lost; it is kept', (data) => {
    expect(theirs(...structured({ ...EVENT, data }))['data']).toBeUndefined();
    expect(ours(...structured({ ...EVENT, data }))).toEqual({ event: { ...EVENT, data } });
  });

  test('binary data becomes an array of numbers of four bytes; its text is kept', () => {
    const event = { ...EVENT, data_base64: 'AAEC' };
    expect(theirs(...structured(event))['data']).toBeInstanceOf(Uint32Array);
    expect(ours(...structured(event))).toEqual({ event });
  });

  test('the time is written anew and digits are lost; it stays, and none is added', () => {
    const time = '2026-01-01T00:00:00.123456+02:00';
    expect(theirs(...structured({ ...EVENT, time }))).toHaveProperty('time', '2025-12-31T22:00:00.123Z');
    expect(theirs(...structured(EVENT))['time']).toBeTypeOf('string');
    expect(ours(...structured({ ...EVENT, time }))).toEqual({ event: { ...EVENT, time } });
    expect(ours(...structured(EVENT))).toEqual({ event: EVENT });
  });

  test('a list is taken for an event; it is none', () => {
    expect(theirs(...structured([1]))).toHaveProperty('0', 1);
    expect(ours(...structured([1]))).toHaveProperty('event.error', 'specversion: no specversion\n');
  });

  test('one sent as application/json is not known to it; it is read', () => {
    expect(() => theirs(...structured(EVENT, 'application/json'))).toThrow('no cloud event detected');
    expect(ours(...structured(EVENT, 'application/json'))).toEqual({ event: EVENT });
  });
});

test('a bad element of a batch takes the others with it there; here it is told and the others are kept', () => {
  const body = JSON.stringify([EVENT, { foo: 1 }]);
  expect(() => HTTP.toEvent({ headers: { 'content-type': BATCH }, body })).toThrow();
  const decoded = decodeEvents({ headers: { 'content-type': BATCH }, body: Buffer.from(body), newId: () => 'new-id' });
  expect(decoded).toEqual([{ event: EVENT }, { problem: 'specversion: no specversion\n' }]);
});

describe('an event that the package writes', () => {
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

  test('is the same event here, structured and binary', () => {
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
