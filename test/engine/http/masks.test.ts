import { escape as queryEscape } from 'node:querystring';
import { describe, expect, test } from 'vitest';
import { mask } from '../../../lib/engine/http/masks.ts';

const SECRET = 'pa ss/wörd+!\'()~*%&"=';

const SPELLINGS: Readonly<Record<string, string>> = {
  'as it is': SECRET,
  'in the path of a URL': encodeURIComponent(SECRET),
  'in a URL that is not encoded twice': encodeURI(SECRET),
  'in a query': new URL(`http://a.test/?q=${encodeURIComponent(SECRET)}`).search.slice(3),
  'in a form': new URLSearchParams({ q: SECRET }).toString().slice(2),
  'with a plus for a space': encodeURIComponent(SECRET).replaceAll('%20', '+'),
  'with every reserved character as bytes': 'pa%20ss%2Fw%C3%B6rd%2B%21%27%28%29~%2A%25%26%22%3D',
  'as Python quotes it for a form': 'pa+ss%2Fw%C3%B6rd%2B%21%27%28%29~%2A%25%26%22%3D',
  'as Go quotes it for a query': 'pa+ss%2Fw%C3%B6rd%2B%21%27%28%29~%2A%25%26%22%3D',
  'as Java quotes it': 'pa+ss%2Fw%C3%B6rd%2B%21%27%28%29%7E*%25%26%22%3D',
  'with small digits': 'pa%20ss%2fw%c3%b6rd%2b%21%27%28%29~%2a%25%26%22%3d',
  'as Node quotes it': queryEscape(SECRET),
  'in JSON': JSON.stringify(SECRET).slice(1, -1),
  'in base64': Buffer.from(SECRET).toString('base64'),
  'in base64 for URLs': Buffer.from(SECRET).toString('base64url'),
};

describe('a secret in a text that is shown', () => {
  test.each(Object.entries(SPELLINGS))('is hidden %s', (_, spelling) => {
    const masked = mask(`before ${spelling} after`, ['other', SECRET]);
    expect(masked.replace(/\*\*\*=*/, '***')).toBe('before *** after');
  });

  test('that has half of a surrogate pair is hidden, and does not stop the others', () => {
    expect(mask('a \ud800b c', ['\ud800b', 'c'])).toBe('a *** ***');
  });
});
