import { CloudEvent, HTTP } from 'cloudevents';
import { describe, expect, test } from 'vitest';
import { decodeEvents } from '../../lib/events/decode.ts';
import fc from '../fast-check.ts';

const STRUCTURED = 'application/cloudevents+json';
const BATCH = 'application/cloudevents-batch+json';
const EVENT = { specversion: '1.0', id: '1', source: '/s', type: 't' };
const HEADERS = { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': '/s', 'ce-type': 't' };
const REFUSED = { type: 'noncompliant', source: 'unknown', error: expect.any(String) };

/** The events of a request, and the problems of elements of a batch. */
const decode = (headers: Readonly<Record<string, string>>, body: unknown = '') => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const decoded = decodeEvents({ headers, body: Buffer.from(text), newId: () => 'new' });
  return decoded.map((one) => ('event' in one ? one.event : one));
};

const binary = (more: Readonly<Record<string, string>>, body?: unknown) => decode({ ...HEADERS, ...more }, body);
const subject = (header: string) => binary({ 'ce-subject': header });
const withSubject = (text: string) => [{ ...EVENT, subject: text }];
const rejected = (name: string) => [{ ...REFUSED, error: expect.stringContaining(`${name}: MUST be percent-encoded`) }];

/**
 * Each MUST of the HTTP binding 1.0.2 for a receiver, with requests and what they become. Weft sends no events by HTTP: the
 * MUSTs for a sender (no batch that nobody asked for, percent-encoding, the media type of the format) are in the requests of
 * other programs, below.
 */
const MUSTS: readonly (readonly [section: string, must: string, decoded: unknown, expected: unknown])[] = [
  ['1.4', 'support the JSON event format', decode({ 'content-type': STRUCTURED }, EVENT), [EVENT]],
  [
    '1.4',
    'support it with the parameters of its media type',
    decode({ 'content-type': `${STRUCTURED}; charset=utf-8` }, { ...EVENT, data: { a: [1] } }),
    [{ ...EVENT, data: { a: [1] } }],
  ],
  ['3', 'take the mode from the media type: batched', decode({ 'content-type': BATCH }, [EVENT]), [EVENT]],
  [
    '3',
    'take the mode from the media type: binary',
    binary({ 'content-type': 'text/plain' }, 'x'),
    [{ ...EVENT, datacontenttype: 'text/plain', data: 'x' }],
  ],
  [
    '3',
    'not read an event format that is not known as binary',
    binary({ 'content-type': 'application/cloudevents+avro' }, 'x'),
    [{ ...REFUSED, datacontenttype: 'application/cloudevents+avro', data_base64: 'eA==' }],
  ],
  [
    '3',
    'not read a batch format that is not known as binary',
    binary({ 'content-type': 'application/cloudevents-batch+xml' }, 'x'),
    [{ ...REFUSED, datacontenttype: 'application/cloudevents-batch+xml' }],
  ],
  [
    '3.1.1',
    'populate datacontenttype from Content-Type',
    binary({ 'content-type': 'application/json; charset=utf-8' }, '{}'),
    [{ ...EVENT, datacontenttype: 'application/json; charset=utf-8', data: {} }],
  ],
  ['3.1.1', 'not take it from ce-datacontenttype', binary({ 'ce-datacontenttype': 'text/plain' }), [EVENT]],
  [
    '3.1.1',
    'not take it from ce-datacontenttype beside Content-Type',
    binary({ 'content-type': 'text/xml', 'ce-datacontenttype': 'text/plain' }, '<a/>'),
    [{ ...EVENT, datacontenttype: 'text/xml', data: '<a/>' }],
  ],
  [
    '3.1.3',
    'map each attribute and extension from a header of its own',
    binary({ 'ce-time': '2026-01-15T10:00:00Z', 'ce-dataschema': 'https://x/y', 'ce-myext': '5', other: 'x' }),
    [{ ...EVENT, time: '2026-01-15T10:00:00Z', dataschema: 'https://x/y', myext: '5' }],
  ],
  ['3.1.3.1', 'map headers with the prefix ce- alone', binary({ subject: 'x', 'x-ce-subject': 'x' }), [EVENT]],
  ['3.1.3.2', 'unescape double quotes', subject('"a \\"b\\" \\\\"'), withSubject('a "b" \\')],
  ['3.1.3.2', 'unescape before it decodes', subject('"%22a%22"'), withSubject('"a"')],
  ['3.1.3.2', 'support double-quoted values with spaces', subject('"Euro %E2%82%AC"'), withSubject('Euro €')],
  ['3.1.3.2', 'decode a single round', subject('%2541'), withSubject('%41')],
  [
    '3.1.3.2',
    'decode the example of the specification',
    subject('Euro%20%E2%82%AC%20%F0%9F%98%80'),
    withSubject('Euro € 😀'),
  ],
  ['3.1.3.2', 'decode space, double quote and percent', subject('%20%22%25%20'), withSubject(' "% ')],
  ['3.1.3.2', 'accept lower-case hexadecimal digits', subject('%c3%b6%E2%82%ac'), withSubject('ö€')],
  ['3.1.3.2', 'accept needless encoding', subject('%61%62%43'), withSubject('abC')],
  [
    '3.1.3.2',
    'decode every attribute',
    binary({ 'ce-source': '/a%20b', 'ce-city': 'K%C3%B6ln' }),
    [{ ...EVENT, source: '/a b', city: 'Köln' }],
  ],
  ['3.1.3.2', 'reject an overlong encoding', subject('%C0%A0'), rejected('subject')],
  ['3.1.3.2', 'reject bytes that are not UTF-8', subject('a%ffb'), rejected('subject')],
  ['3.1.3.2', 'reject a character that is cut', subject('%E2%82'), rejected('subject')],
  ['3.1.3.2', 'reject an encoded surrogate', subject('%ED%A0%BD%ED%B8%80'), rejected('subject')],
  ['3.1.3.2', 'reject a percent sign that encodes nothing', subject('100%'), rejected('subject')],
  ['3.1.3.2', 'reject a percent sign before no digits', binary({ 'ce-shop': '%zz' }), rejected('shop')],
  ['3.1.3.2', 'reject one in quotes', subject('"100%"'), rejected('subject')],
  [
    '3.2.3',
    'take all attributes from the payload of the structured mode, also if headers have them',
    decode({ ...HEADERS, 'ce-subject': 'no', 'content-type': STRUCTURED }, { ...EVENT, id: '2' }),
    [{ ...EVENT, id: '2' }],
  ],
  ['3.2.3', 'need them there', decode({ ...HEADERS, 'content-type': STRUCTURED }, { specversion: '1.0' }), [REFUSED]],
  [
    '3.3',
    'support the JSON batch format',
    decode({ 'content-type': `${BATCH}; charset=UTF-8` }, [EVENT, EVENT]),
    [EVENT, EVENT],
  ],
  ['3.3.2', 'accept an empty batch', decode({ 'content-type': BATCH }, []), []],
  [
    '3.3.2',
    'have one specversion in a batch',
    decode({ 'content-type': BATCH }, [EVENT, { ...EVENT, specversion: '0.3' }, EVENT]),
    [EVENT, { problem: 'specversion: MUST be the same for all events of a batch\n' }, EVENT],
  ],
  [
    '3.3.2',
    'accept other attributes that differ in a batch',
    decode({ 'content-type': BATCH }, [EVENT, { ...EVENT, datacontenttype: 'text/xml', data: '<a/>' }]),
    [EVENT, { ...EVENT, datacontenttype: 'text/xml', data: '<a/>' }],
  ],
];

describe('a receiver by the HTTP binding 1.0.2', () => {
  test.each(MUSTS)('%s: must %s', (_section, _must, decoded, expected) => {
    const all = expected as object[];
    expect(decoded).toHaveLength(all.length);
    for (const [index, one] of (decoded as object[]).entries()) {
      // An event that is refused has the bytes of the request as well.
      if ('type' in one && one.type === 'noncompliant') expect(one).toMatchObject(all[index] ?? {});
      else expect(one).toEqual(all[index]);
    }
  });
});

/** A value as the binding encodes it (3.1.3.2): every character that is not printable, a double quote or a percent sign. */
const encoded = (text: string): string =>
  text.replaceAll(/[^\x21-\x7e]|["%]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join(''),
  );

describe('a request of another program', () => {
  test('that encodes as the binding says has the same attributes', () => {
    expect(encoded('Euro € 😀')).toBe('Euro%20%E2%82%AC%20%F0%9F%98%80');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (ext) => {
        expect(binary({ 'ce-ext': encoded(ext) })).toEqual([{ ...EVENT, ext: ext.toWellFormed() }]);
      }),
    );
  });

  // The package encodes no header: a percent sign in one is a fault of the sender, which is answered as such.
  test.each(['binary', 'structured'] as const)(
    'that is the package cloudevents has the same event in the %s mode',
    (mode) => {
      for (const subject of ['plain', 'Köln', 'Euro € 😀', 'a "quoted" text', '\\', "it's", '1 + 1 = 2']) {
        const event = new CloudEvent({
          ...EVENT,
          time: '2026-01-15T10:00:00.000Z',
          subject,
          ext: subject,
          data: { a: 1 },
        });
        const { headers, body } = HTTP[mode](event);
        const names = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
        const [decoded] = decode(Object.fromEntries(names), body);
        expect(decoded).toMatchObject({ ...EVENT, subject, ext: subject, data: { a: 1 } });
      }
    },
  );
});
