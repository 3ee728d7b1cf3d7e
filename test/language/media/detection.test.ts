import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { detectMediaType } from '../../../lib/language/media/detection.ts';

interface Exchange {
  readonly label: string;
  readonly path: string;
  readonly status: number;
  readonly resHeaders: readonly (readonly [string, string])[];
  readonly resBody: string | null | { readonly base64: string };
}

const recorded = readFileSync(join(import.meta.dirname, '../../conformance/http.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Exchange)
  .filter(({ path, status }) => path.includes('op=wait') && !path.includes('ctype=') && status === 200)
  .map(({ label, resHeaders, resBody }) => {
    const bytes =
      typeof resBody === 'object' && resBody ? Buffer.from(resBody.base64, 'base64') : Buffer.from(resBody ?? '');
    return { label, bytes, type: resHeaders.find(([name]) => name === 'Content-Type')?.[1] };
  });

describe('the media type of an output recorded from the original', () => {
  test('is one of at least four types', () => {
    expect(new Set(recorded.map(({ type }) => type)).size).toBeGreaterThan(3);
  });

  test.each(recorded)('is $type for $label', ({ bytes, type }) => {
    expect(detectMediaType(bytes)).toBe(type);
  });
});

describe('the media type of bytes', () => {
  test.each([
    ['', 'text/plain'],
    ['just text', 'text/plain; charset=utf-8'],
    ['été', 'text/plain; charset=utf-8'],
    ['  {"a": [1, 2]}\n', 'application/json'],
    ['"text"', 'application/json'],
    ['true', 'application/json'],
    ['null', 'application/json'],
    ['-1.5e3', 'application/json'],
    ['{"a": 1', 'text/plain; charset=utf-8'],
    ['trueish', 'text/plain; charset=utf-8'],
    ['{"a":1}\n{"a":2}\n', 'application/x-ndjson'],
    ['a,b\n1,2\n', 'text/csv'],
    ['a,b\n"x, y",2\n', 'text/csv'],
    ['a,b\n1\n', 'text/plain; charset=utf-8'],
    ['one line, with a comma', 'text/plain; charset=utf-8'],
    ['a\tb\n1\t2', 'text/tab-separated-values'],
    ['<!DOCTYPE html><p>', 'text/html; charset=utf-8'],
    ['\n <Body class="x">', 'text/html; charset=utf-8'],
    ['<bodyguard>', 'text/plain; charset=utf-8'],
    ['<?xml version="1.0"?><a/>', 'text/xml; charset=utf-8'],
    ['<?xml version="1.0"?>\n<svg xmlns="x"/>', 'image/svg+xml'],
    ['{\\rtf1 x}', 'text/rtf'],
    ['%PDF-1.7\n', 'application/pdf'],
  ])('of %j is %s', (text, expected) => {
    expect(detectMediaType(Buffer.from(text))).toBe(expected);
  });

  test.each([
    ['89504e470d0a1a0a78', 'image/png'],
    ['ffd8ffe000104a46', 'image/jpeg'],
    ['474946383961', 'image/gif'],
    ['524946461a00000057454250', 'image/webp'],
    ['524946461a00000057415645', 'audio/wav'],
    ['504b0304140000', 'application/zip'],
    ['1f8b0800', 'application/gzip'],
    ['0000001866747970', 'video/mp4'],
    ['0061736d01000000', 'application/wasm'],
    ['00010203', 'application/octet-stream'],
    [`${'00'.repeat(257)}7573746172`, 'application/x-tar'],
    ['e9e8', 'text/plain; charset=iso-8859-1'],
    ['69b71d', 'text/plain'],
    ['fffe68006900', 'text/plain; charset=utf-16le'],
    ['feff00680069', 'text/plain; charset=utf-16be'],
    ['fffe000068000000', 'text/plain; charset=utf-32le'],
    ['0000feff00000068', 'text/plain; charset=utf-32be'],
    ['fffe', 'text/plain; charset=utf-16le'],
  ])('of the bytes %s is %s', (hex, expected) => {
    expect(detectMediaType(Buffer.from(hex, 'hex'))).toBe(expected);
  });

  const filler = '1,'.repeat(3 * 1024 * 1024);
  test.each([
    ['a list', `[${filler}1]`, 'application/json'],
    ['a list that is not closed', `[${filler}1`, 'text/plain; charset=utf-8'],
    ['lines of JSON', `${'{"a":1}\n'.repeat(700_000)}[1]`, 'application/x-ndjson'],
    ['a table', `${'1,2\n'.repeat(2 * 1024 * 1024)}1,2`, 'text/csv'],
  ])('of %s of more than four million characters is found from its beginning', (_, text, expected) => {
    expect(detectMediaType(Buffer.from(text))).toBe(expected);
  });
});
