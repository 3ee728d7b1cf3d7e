import { describe, expect, test } from 'vitest';
import { needEvent, toText } from '../../lib/events/cloud-event.ts';
import { decodeEvents } from '../../lib/events/decode.ts';
import { ExactNumber } from '../../lib/language/json-numbers.ts';
import fc from '../fast-check.ts';

const STRUCTURED = 'application/cloudevents+json';
const BATCH = 'application/cloudevents-batch+json';
const NEW_ID = 'new-id';

type Headers = Record<string, string>;

function decode(headers: Headers, body: string | Uint8Array) {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return decodeEvents({ headers, body: bytes, newId: () => NEW_ID });
}

function one(headers: Headers, body: string | Uint8Array): unknown {
  const decoded = decode(headers, body);
  expect(decoded).toHaveLength(1);
  return decoded[0] && 'event' in decoded[0] ? decoded[0].event : decoded[0];
}

const structured = (event: unknown, type = STRUCTURED) => one({ 'content-type': type }, JSON.stringify(event));
const base64 = (text: string) => Buffer.from(text).toString('base64');

const EVENT = { specversion: '1.0', id: 'e-1', source: '/s', type: 't' };
const BINARY = { 'ce-specversion': '1.0', 'ce-id': 'e-1', 'ce-source': '/s', 'ce-type': 't' };

function noncompliant(error: string, rest: object) {
  return { specversion: '1.0', id: NEW_ID, source: 'unknown', type: 'noncompliant', error, ...rest };
}

describe('the mode', () => {
  test.each([
    [STRUCTURED],
    [`${STRUCTURED}; charset=utf-8`],
    [`${STRUCTURED};charset=UTF-8`],
    ['Application/CloudEvents+JSON'],
    ['application/json'],
    ['application/json; charset=utf-8'],
  ])('is structured for %s', (type) => {
    expect(structured({ ...EVENT, data: { a: 1 } }, type)).toEqual({ ...EVENT, data: { a: 1 } });
  });

  test('is binary for application/json with a header ce-type', () => {
    const expected = { ...EVENT, datacontenttype: 'application/json', data: { k: 'v' } };
    expect(one({ ...BINARY, 'content-type': 'application/json' }, '{"k":"v"}')).toEqual(expected);
  });

  test('is structured for the media type of structured events, whatever the headers', () => {
    expect(one({ ...BINARY, 'content-type': STRUCTURED }, JSON.stringify({ ...EVENT, id: 'x' }))).toHaveProperty(
      'id',
      'x',
    );
  });

  test('is batched for the media type of batches', () => {
    const body = JSON.stringify([EVENT, { ...EVENT, id: 'e-2' }]);
    expect(decode({ 'content-type': `${BATCH}; charset=utf-8` }, body)).toEqual([
      { event: EVENT },
      { event: { ...EVENT, id: 'e-2' } },
    ]);
  });
});

describe('a structured event', () => {
  test.each([undefined, null, ''])('whose id is %j gets a new one', (id) => {
    expect(structured({ ...EVENT, id })).toEqual({ ...EVENT, id: NEW_ID });
  });

  test.each([0, false, '', null, [], {}, 'text'])('keeps %j as its data', (data) => {
    expect(structured({ ...EVENT, data })).toEqual({ ...EVENT, data });
  });

  test('keeps data_base64 as it is', () => {
    const event = { ...EVENT, datacontenttype: 'application/octet-stream', data_base64: 'AAEC' };
    expect(structured(event)).toEqual(event);
    expect(structured({ ...event, data: null })).toEqual(event);
  });

  test('keeps its time unchanged, and gets none', () => {
    const time = '2026-11-21T01:36:59.642021987+02:00';
    expect(structured({ ...EVENT, time })).toEqual({ ...EVENT, time });
    expect(structured(EVENT)).toEqual(EVENT);
  });

  test('keeps the types of its extensions, whose names become lower case', () => {
    const long = new ExactNumber('9007199254740993');
    expect(structured({ ...EVENT, myExt: 'x', num: 5, long, boo: true, gone: null })).toEqual({
      ...EVENT,
      myext: 'x',
      num: 5,
      long,
      boo: true,
    });
  });

  test('can have version 0.3, with the form of binary data of that version', () => {
    const old = { ...EVENT, specversion: '0.3', datacontentencoding: 'base64', data: 'AAEC', schemaurl: '/s' };
    expect(structured(old)).toEqual(old);
  });

  test.each(['#', '', 'a b', 'http://x/%zz'])('is accepted without a malformed dataschema such as %j', (dataschema) => {
    expect(structured({ ...EVENT, dataschema })).toEqual(EVENT);
  });

  test('keeps a well-formed dataschema', () => {
    expect(structured({ ...EVENT, dataschema: 'https://x/s#a' })).toHaveProperty('dataschema', 'https://x/s#a');
  });

  test('can have an attribute with the name of an inherited member', () => {
    expect(structured({ ...EVENT, constructor: 'c', valueof: 1 })).toEqual({ ...EVENT, constructor: 'c', valueof: 1 });
  });

  test('has well-formed texts', () => {
    expect(one({ 'content-type': STRUCTURED }, `${JSON.stringify(EVENT).slice(0, -1)},"x":"\\ud800"}`)).toHaveProperty(
      'x',
      '\ufffd',
    );
  });

  test.each([
    ['specversion: no specversion\n', { ...EVENT, specversion: undefined }],
    ['source: REQUIRED\n', { ...EVENT, source: undefined }],
    ['source: REQUIRED\n', { ...EVENT, source: ' ' }],
    ['type: MUST be a non-empty string\n', { ...EVENT, type: undefined }],
    ['source: REQUIRED\ntype: MUST be a non-empty string\n', { specversion: '1.0' }],
    ['id: MUST be a non-empty string\n', { ...EVENT, id: '  ' }],
    ['subject: if present, MUST be a non-empty string\n', { ...EVENT, subject: '' }],
    ['cannot convert "yesterday" to time.Time: not in RFC3339 format', { ...EVENT, time: 'yesterday' }],
    [
      'cannot convert "2026-13-01T00:00:00Z" to time.Time: not in RFC3339 format',
      { ...EVENT, time: '2026-13-01T00:00:00Z' },
    ],
    ['type: MUST be a string\n', { ...EVENT, type: 5 }],
    ['data_base64: MUST be base64\n', { ...EVENT, data_base64: 'no base64!' }],
    ['data_base64: MUST NOT stand beside data\n', { ...EVENT, data_base64: 'AAEC', data: 1 }],
    ['data: MUST be base64\n', { ...EVENT, specversion: '0.3', datacontentencoding: 'base64', data: {} }],
    ['specversion: unknown version, write one of 1.0, 0.3\n', { ...EVENT, specversion: '2.0' }],
  ])('that is invalid becomes an event with the error %j', (error, event) => {
    const data_base64 = base64(JSON.stringify(event));
    expect(structured(event)).toEqual(noncompliant(error, { datacontenttype: STRUCTURED, data_base64 }));
  });

  test.each(['my_ext', '__proto__', 'Type', 'DATA', 'a-b', 'é', ''])(
    'with an attribute named %j is invalid',
    (name) => {
      const body = `${JSON.stringify(EVENT).slice(0, -1)},${JSON.stringify(name)}:"x"}`;
      expect(one({ 'content-type': STRUCTURED }, body)).toMatchObject({
        type: 'noncompliant',
        data_base64: base64(body),
      });
    },
  );

  test.each([[[1]], [{ a: 1 }]])('with the extension %j is invalid', (value) => {
    expect(structured({ ...EVENT, ext: value })).toMatchObject({
      type: 'noncompliant',
      error: expect.stringContaining('ext: '),
    });
  });
});

describe('a binary event', () => {
  test('needs no id', () => {
    const { 'ce-id': _, ...headers } = BINARY;
    expect(one(headers, '')).toEqual({ ...EVENT, id: NEW_ID });
    expect(one({ ...headers, 'ce-id': '' }, '')).toEqual({ ...EVENT, id: NEW_ID });
  });

  test.each([
    ['text/plain', 'plain', { data: 'plain' }],
    ['text/plain', '', {}],
    ['text/plain; charset=iso-8859-1', 'plain', { data_base64: base64('plain') }],
    ['application/xml', '<a/>', { data: '<a/>' }],
    ['application/json; charset=utf-8', '[0]', { data: [0] }],
    ['application/vnd.x+json', '{"a":false}', { data: { a: false } }],
    ['application/json', '{nope', { data_base64: base64('{nope') }],
    ['application/octet-stream', 'abc', { data_base64: base64('abc') }],
    ['image/png', '{}', { data_base64: base64('{}') }],
    ['garbage', 'abc', { data_base64: base64('abc') }],
  ])('of type %s with the body %j has its payload', (type, body, payload) => {
    expect(one({ ...BINARY, 'content-type': type }, body)).toEqual({ ...EVENT, datacontenttype: type, ...payload });
  });

  test('without a type has JSON data, if the body is JSON', () => {
    expect(one(BINARY, '{"a":1}')).toEqual({ ...EVENT, data: { a: 1 } });
    expect(one(BINARY, 'plain')).toEqual({ ...EVENT, data_base64: base64('plain') });
  });

  test('of version 0.3 has bytes in the form of that version', () => {
    const headers = { ...BINARY, 'ce-specversion': '0.3', 'content-type': 'image/png' };
    expect(one(headers, 'abc')).toMatchObject({
      specversion: '0.3',
      datacontentencoding: 'base64',
      data: base64('abc'),
    });
  });

  test('keeps the bytes of a text that is not UTF-8', () => {
    const body = Uint8Array.of(0xff, 0xfe, 0x00);
    expect(one({ ...BINARY, 'content-type': 'text/plain' }, body)).toHaveProperty('data_base64', '//4A');
    const json = Uint8Array.of(0x22, 0xff, 0x22);
    expect(one({ ...BINARY, 'content-type': 'application/json' }, json)).toHaveProperty('data_base64', 'Iv8i');
  });

  test('has an extension for each other ce- header, which is a text', () => {
    expect(one({ ...BINARY, 'ce-num': '5', 'ce-constructor': 'c', host: 'x' }, '')).toEqual({
      ...EVENT,
      num: '5',
      constructor: 'c',
    });
  });

  test.each([
    ['Euro%20%E2%82%AC%20%F0%9F%98%80', 'Euro € 😀'],
    ['"quoted \\"text\\""', 'quoted "text"'],
    ['100%25', '100%'],
    ['%2541', '%41'],
    ['"', '"'],
  ])('decodes the header %s', (value, expected) => {
    expect(one({ ...BINARY, 'ce-subject': value }, '')).toHaveProperty('subject', expected);
  });

  test.each([
    ['source: REQUIRED\n', { 'ce-source': '' }],
    ['type: MUST be a non-empty string\n', { 'ce-type': '' }],
    ['subject: MUST be percent-encoded UTF-8; write a percent sign as %25\n', { 'ce-subject': '100%' }],
    ['shop: MUST be percent-encoded UTF-8; write a percent sign as %25\n', { 'ce-shop': '%zz%41' }],
    ['shop: MUST be percent-encoded UTF-8; write a percent sign as %25\n', { 'ce-shop': '%ff%fe' }],
    ['unknown Message encoding', { 'ce-specversion': '' }],
    ['unknown Message encoding', { 'ce-specversion': '2.0' }],
    ['cannot convert "now" to time.Time: not in RFC3339 format', { 'ce-time': 'now' }],
  ])('that is invalid becomes an event with the error %j', (error, headers) => {
    const expected = noncompliant(error, { datacontenttype: 'text/plain', data_base64: base64('x') });
    expect(one({ ...BINARY, 'content-type': 'text/plain', ...headers }, 'x')).toEqual(expected);
  });

  test.each(['ce-__proto__', 'ce-data', 'ce-data_base64', 'ce-my-ext', 'ce-'])(
    'with the header %s is invalid',
    (name) => {
      expect(one({ ...BINARY, [name]: 'x' }, '')).toMatchObject({ type: 'noncompliant', data_base64: '' });
    },
  );
});

describe('data in none of the modes', () => {
  test.each([
    [{}, 'hello there', 'unknown Message encoding', { data_base64: base64('hello there') }],
    [{ 'content-type': '' }, '', 'unknown Message encoding', { data_base64: '' }],
    [
      { 'content-type': 'text/xml' },
      '<a/>',
      'unknown Message encoding',
      { datacontenttype: 'text/xml', data_base64: base64('<a/>') },
    ],
    [
      { 'content-type': STRUCTURED },
      '{nope',
      "invalid character 'n' looking for beginning of object key string",
      { datacontenttype: STRUCTURED, data_base64: base64('{nope') },
    ],
    [
      { 'content-type': STRUCTURED },
      '',
      'unexpected end of JSON input',
      { datacontenttype: STRUCTURED, data_base64: '' },
    ],
    [
      { 'content-type': STRUCTURED },
      '{}',
      'specversion: no specversion\n',
      { datacontenttype: STRUCTURED, data_base64: 'e30=' },
    ],
    [
      { 'content-type': STRUCTURED },
      '[]',
      'specversion: no specversion\n',
      { datacontenttype: STRUCTURED, data_base64: 'W10=' },
    ],
    [
      { 'content-type': 'application/json' },
      '{"hello":"world"}',
      'specversion: no specversion\n',
      { datacontenttype: 'application/json', data: { hello: 'world' } },
    ],
    [
      { 'content-type': 'application/json' },
      '["hello"]',
      'specversion: no specversion\n',
      { datacontenttype: 'application/json', data_base64: base64('["hello"]') },
    ],
    [
      { 'content-type': 'application/json' },
      '{nope',
      "invalid character 'n' looking for beginning of object key string",
      { datacontenttype: 'application/json', data_base64: base64('{nope') },
    ],
  ])('with %j and the body %j becomes an event with the error %j', (headers, body, error, rest) => {
    expect(one(headers as Headers, body)).toEqual(noncompliant(error, rest));
  });

  test('nested too deeply for the data of a run is kept as bytes', () => {
    const body = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(one({ 'content-type': 'application/json' }, body)).toEqual(
      noncompliant('exceeded max depth', { datacontenttype: 'application/json', data_base64: base64(body) }),
    );
    expect(one({ ...BINARY, 'content-type': 'application/json' }, body)).toMatchObject({
      ...EVENT,
      data_base64: base64(body),
    });
  });

  test('with a long name has an error with a part of it', () => {
    expect(structured({ ...EVENT, ['_'.repeat(1_000_000)]: 1 })).toHaveProperty(
      'error',
      expect.stringMatching(/^_{59}…: .{1,200}\n$/),
    );
  });
});

describe('a batch', () => {
  const batch = (body: string) => decode({ 'content-type': BATCH }, body);

  test('can be empty', () => {
    expect(batch('[]')).toEqual([]);
    expect(batch('null')).toEqual([]);
  });

  test('has a problem for an invalid element, and events for the others', () => {
    expect(batch(JSON.stringify([EVENT, { foo: 1 }, 5, { ...EVENT, id: undefined }]))).toEqual([
      { event: EVENT },
      { problem: 'specversion: no specversion\n' },
      { problem: 'specversion: no specversion\n' },
      { event: { ...EVENT, id: NEW_ID } },
    ]);
  });

  test.each([
    ['{"foo":1}', 'json: cannot unmarshal object into Go value of type []event.Event'],
    ['"x"', 'json: cannot unmarshal string into Go value of type []event.Event'],
    ['true', 'json: cannot unmarshal bool into Go value of type []event.Event'],
    ['', 'unexpected end of JSON input'],
    ['[nope]', "invalid character 'o' in literal null (expecting 'u')"],
  ])('%s is invalid as a whole', (body, problem) => {
    expect(batch(body)).toEqual([{ problem }]);
  });
});

describe('any request', () => {
  const names = fc.constantFrom(
    'ce-id',
    'ce-type',
    'ce-source',
    'ce-specversion',
    'ce-time',
    'ce-ext',
    'ce-constructor',
    'ce-__proto__',
    '__proto__',
  );
  const values = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('1.0', '0.3', '%', '%ff', '"', '2026-01-01T00:00:00Z'),
  );
  const types = fc.oneof(
    fc.constantFrom(
      STRUCTURED,
      BATCH,
      'application/json',
      'text/plain',
      'application/octet-stream',
      'text/plain; charset=',
    ),
    fc.string(),
  );
  const attribute = fc.oneof(fc.constantFrom('1.0', '0.3', 'AAEC', ''), fc.jsonValue());
  const keys = fc.constantFrom(
    'specversion',
    'id',
    'source',
    'type',
    'data',
    'data_base64',
    'time',
    'Ext',
    '__proto__',
    'datacontentencoding',
  );
  const likeEvent = fc.dictionary(keys, attribute).map((event) => ({ ...EVENT, ...event }));
  const bodies = fc.oneof(
    fc.uint8Array(),
    fc
      .oneof(likeEvent, fc.array(likeEvent), fc.jsonValue())
      .map((value) => new TextEncoder().encode(JSON.stringify(value))),
  );

  test('throws nothing, and each event is valid and equal after a round trip through its text', () => {
    fc.assert(
      fc.property(fc.dictionary(names, values), fc.option(types), bodies, (given, type, body) => {
        const headers = type === null ? given : { ...given, 'content-type': type };
        for (const decoded of decode(headers, body)) {
          if ('problem' in decoded) expect(type?.toLowerCase()).toContain('batch');
          else expect(JSON.parse(toText(needEvent(decoded.event)))).toEqual(JSON.parse(JSON.stringify(decoded.event)));
        }
      }),
      { numRuns: 500 },
    );
  });

  test('keeps the bytes of invalid data', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.constantFrom('text/plain', STRUCTURED, 'image/png'), (body, type) => {
        expect(one({ 'content-type': type }, body)).toMatchObject({
          data_base64: Buffer.from(body).toString('base64'),
        });
      }),
    );
  });

  test('can have an event of 2 MiB in every mode', () => {
    const data = 'x"\\é'.repeat(400_000);
    expect(structured({ ...EVENT, data })).toEqual({ ...EVENT, data });
    expect(one({ ...BINARY, 'content-type': 'text/plain' }, data)).toHaveProperty('data', data);
    expect(decode({ 'content-type': BATCH }, JSON.stringify([{ ...EVENT, data }]))).toEqual([
      { event: { ...EVENT, data } },
    ]);
    const long = '%41'.repeat(700_000);
    expect(one({ ...BINARY, 'ce-ext': long }, '')).toHaveProperty('ext', 'A'.repeat(700_000));
  });

  test.each(['a/b', '../x', '#', '☃', 'a\u0000b', ' x '])('keeps the id %j', (id) => {
    expect(structured({ ...EVENT, id })).toHaveProperty('id', id);
  });
});
