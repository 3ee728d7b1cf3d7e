import { describe, expect, test } from 'vitest';
import { toInput } from '../../../../lib/engine/requests/webhooks/request.ts';

const bodyOf = (type: string, body: string | Uint8Array): unknown =>
  toInput({ method: 'POST', headers: { 'content-type': type }, query: {}, body: Buffer.from(body) }, { kind: 'none' })
    .body;

const MULTIPART = 'multipart/form-data; boundary=b';
const lines = (...all: string[]): string => all.join('\r\n');
const field = (disposition: string, value: string, ...headers: string[]): string =>
  lines('--b', `Content-Disposition: form-data; ${disposition}`, ...headers, '', value, '');
const form = (...fields: string[]): string => `${fields.join('')}--b--\r\n`;
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('a form of the type multipart/form-data', () => {
  test.each([
    ['a field', field('name="a"', '1'), { a: '1' }],
    ['an empty field', field('name="a"', ''), { a: '' }],
    ['a name without quotes', field('name=a', '1'), { a: '1' }],
    ['escaped names', field('name="a\\"b%22c%0D%0A"', '1'), { 'a"b"c\r\n': '1' }],
    ['names of the prototype', field('name="__proto__"', '1'), JSON.parse('{"__proto__": "1"}')],
    ['line breaks and dashes in values', field('name="a"', '\r\n--\r\n--c\r\n'), { a: '\r\n--\r\n--c\r\n' }],
    ['fields of one name', field('name="a"', '1') + field('name="a"', '2'), { a: ['1', '2'] }],
    ['JSON', field('name="a"', '{"b":[1]}', 'Content-Type: application/json'), { a: { b: [1] } }],
    ['broken JSON', field('name="a"', '{"b', 'Content-Type: application/json'), { a: '{"b' }],
    [
      'a file, whatever its type',
      field('name="f"; filename="a.json"', '{}', 'content-type:application/json', 'X-Other: 1'),
      { f: { filename: 'a.json', type: 'application/json', base64: base64('{}') } },
    ],
    [
      'a file without a type',
      field('filename="Köln.txt"; name="f"', 'x'),
      { f: { filename: 'Köln.txt', type: 'application/octet-stream', base64: base64('x') } },
    ],
    [
      'a name in the form of RFC 5987',
      field('name="f"; filename="K.txt"; filename*=UTF-8\'\'K%C3%B6ln.txt', 'x', 'Content-Type: text/plain'),
      { f: { filename: 'Köln.txt', type: 'text/plain', base64: base64('x') } },
    ],
    ['no field', '', {}],
    ['text before the first boundary', `preamble\r\n${field('name="a"', '1')}`, { a: '1' }],
  ])('may have %s', (_, fields, expected) => {
    expect(bodyOf(MULTIPART, form(fields))).toEqual(expected);
  });

  test('may have a field that is not UTF-8', () => {
    const [head = '', tail = ''] = form(field('name="a"', '?')).split('?');
    const body = Buffer.concat([Buffer.from(head), Uint8Array.of(0xff, 0), Buffer.from(tail)]);
    expect(bodyOf(MULTIPART, body)).toEqual({ a: { type: 'application/octet-stream', base64: '/wA=' } });
  });

  test.each(['multipart/form-data; boundary="b"', 'Multipart/Form-Data;charset=utf-8;boundary=b'])(
    'may have the type %s',
    (type) => {
      expect(bodyOf(type, form(field('name="a"', '1')))).toEqual({ a: '1' });
    },
  );

  test.each([
    ['without a boundary in its type', 'multipart/form-data', form(field('name="a"', '1'))],
    ['without its end', MULTIPART, field('name="a"', '1')],
    ['with another boundary', 'multipart/form-data; boundary=c', form(field('name="a"', '1'))],
    ['with a part without a name', MULTIPART, form(field('filename="a"', '1'))],
    ['with a part without headers', MULTIPART, form(lines('--b', '', '1', ''))],
    ['whose lines end without a carriage return', MULTIPART, form(field('name="a"', '1')).replaceAll('\r', '')],
  ])('that is malformed is a text: %s', (_, type, body) => {
    expect(bodyOf(type, body)).toBe(body);
  });

  test('has at most ten thousand fields', () => {
    const most = field('name=a', '').repeat(10_000);
    expect(bodyOf(MULTIPART, form(most))).toHaveProperty('a.length', 10_000);
    expect(() => bodyOf(MULTIPART, form(most, field('name=a', '')))).toThrow('has more than 10000 fields');
  });
});
