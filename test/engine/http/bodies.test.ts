import { describe, expect, test } from 'vitest';
import { bodyOf } from '../../../lib/engine/http/bodies.ts';

const MULTIPART = 'multipart/form-data';
const PNG = { type: 'image/png', base64: Buffer.from([0x89, 0x50, 0, 0xff]).toString('base64') };

/** The bytes of a body as the server gets them. */
const bytesOf = (value: unknown, type?: string) => {
  const body = bodyOf(value, type);
  return { type: body?.type ?? '', bytes: Buffer.from(body?.text ?? '', body?.encoding) };
};

/** The fields and files of a form, read by another parser: that of Node. */
const formOf = async (value: unknown, type = MULTIPART) => {
  const sent = bytesOf(value, type);
  const form = await new Response(sent.bytes, { headers: { 'content-type': sent.type } }).formData();
  return Promise.all(
    [...form].map(async ([name, one]) =>
      typeof one === 'string'
        ? [name, one]
        : [name, one.name, one.type, Buffer.from(await one.arrayBuffer()).toString('base64')],
    ),
  );
};

describe('a body of the type multipart/form-data', () => {
  test('has a field for each text, number and boolean, several for a list, and none for null', async () => {
    expect(await formOf({ a: '1', n: 2.5, yes: true, list: ['x', 'y'], none: null })).toEqual([
      ['a', '1'],
      ['n', '2.5'],
      ['yes', 'true'],
      ['list', 'x'],
      ['list', 'y'],
    ]);
  });

  test('has a file for bytes, by its name and type', async () => {
    const files = { photo: { ...PNG, filename: 'Köln "1".png' }, other: [PNG, PNG] };
    expect(await formOf(files)).toEqual([
      ['photo', 'Köln "1".png', 'image/png', PNG.base64],
      ['other', 'other', 'image/png', PNG.base64],
      ['other', 'other', 'image/png', PNG.base64],
    ]);
  });

  test('keeps line breaks in values, and escapes those in names', async () => {
    expect(await formOf({ text: 'a\r\n--b\n', 'na"me\n': 'Straße' })).toEqual([
      ['text', 'a\r\n--b\n'],
      ['na"me\n', 'Straße'],
    ]);
  });

  test('has the same boundary for the same fields, which is in its content type', () => {
    const [one, two] = [bytesOf({ a: '1' }, MULTIPART), bytesOf({ a: '1' }, 'Multipart/Form-Data;')];
    expect(one.type).toMatch(/^multipart\/form-data; boundary=weft-[0-9a-f]{40}$/);
    expect(two.type.toLowerCase()).toBe(one.type);
    expect(bytesOf({ a: '2' }, MULTIPART).type).not.toBe(one.type);
    expect(one.bytes.toString()).toContain(`--${one.type.split('boundary=')[1]}\r\n`);
  });

  test('has the boundary that the content type names, unless a field contains it', async () => {
    expect(await formOf({ a: '1' }, `${MULTIPART}; boundary="mine"`)).toEqual([['a', '1']]);
    expect(() => bodyOf({ a: 'x--mine' }, `${MULTIPART}; boundary=mine`)).toThrow('contains the boundary');
  });

  test('may be a text that has its boundary', () => {
    const text = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n';
    expect(bytesOf(text, `${MULTIPART}; boundary=b`)).toEqual({
      type: `${MULTIPART}; boundary=b`,
      bytes: Buffer.from(text),
    });
    expect(() => bodyOf(text, MULTIPART)).toThrow('without a boundary: write an object of fields');
  });

  test.each([
    [{ a: { b: 1 } }, "'a' in 'body' is neither text nor a number nor true or false"],
    [[1], "'body' is no object of names and values"],
    [{ a: { type: 'image/png', base64: 'no base64!' } }, "'base64' of 'a' is no base64"],
    [{ a: { type: 'a\r\nb: c', base64: 'AAEC' } }, "'type' of 'a' is no media type"],
    [{ a: { type: 'a/b', base64: 'AAEC', filename: 1 } }, "'filename' of 'a' is no text"],
  ])('cannot be %j', (value, message) => {
    expect(() => bodyOf(value, MULTIPART)).toThrow(message);
  });
});

describe('bytes as a body', () => {
  test('are sent as they are, with their type or that of the headers', () => {
    expect(bytesOf(PNG)).toEqual({ type: 'image/png', bytes: Buffer.from(PNG.base64, 'base64') });
    expect(bytesOf(PNG, 'application/pdf').type).toBe('application/pdf');
  });

  test('are JSON if that is the type of the headers, or with other members', () => {
    expect(bytesOf(PNG, 'application/vnd.x+json').bytes.toString()).toBe(
      JSON.stringify({ base64: PNG.base64, type: PNG.type }),
    );
    expect(bytesOf({ ...PNG, more: 1 }).type).toBe('application/json');
    expect(bytesOf({ base64: PNG.base64 }).type).toBe('application/json');
  });

  test('are refused if they are no base64', () => {
    expect(() => bodyOf({ type: 'image/png', base64: 'a' }, undefined)).toThrow("'base64' of 'body' is no base64");
  });
});

describe('another body', () => {
  test.each([
    ['text', undefined, 'text/plain; charset=utf-8', 'text'],
    ['<a/>', 'text/xml', 'text/xml', '<a/>'],
    [{ a: 1 }, undefined, 'application/json', '{"a":1}'],
    [[1], 'application/vnd.x+json', 'application/vnd.x+json', '[1]'],
    [{ a: 'b c', d: [1, null] }, 'application/x-www-form-urlencoded', 'application/x-www-form-urlencoded', 'a=b+c&d=1'],
  ])('%j of the type %s is sent as %s', (value, given, type, text) => {
    expect(bytesOf(value, given)).toEqual({ type, bytes: Buffer.from(text) });
  });
});
