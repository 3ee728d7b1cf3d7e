/** The replacement of a secret in a text that is shown. */
const HIDDEN = '***';

const escapePattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

const unitsOf = (character: string): string =>
  [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('');

/** The spellings of one character: as it is, in a URL or a form, and in JSON. A server encodes those that it wants to. */
function spellingsOf(character: string): string[] {
  const bytes = [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  const units = unitsOf(character);
  const encoded = [bytes, bytes.toUpperCase(), units, units.toUpperCase().replaceAll('\\U', '\\u')];
  const more = character === ' ' ? ['+'] : character === '/' ? ['\\/'] : [];
  return [...new Set([character, ...encoded, JSON.stringify(character).slice(1, -1), ...more])];
}

/** A pattern for a secret in each of its spellings, each character in its own; and in base64. */
function patternOf(secret: string): string {
  const spelled = [...secret].map((one) => `(?:${spellingsOf(one).map(escapePattern).join('|')})`).join('');
  const base64 = ['base64', 'base64url'] as const;
  return [spelled, ...base64.map((way) => escapePattern(Buffer.from(secret).toString(way).replace(/=+$/, '')))].join(
    '|',
  );
}

/** The text with `***` in place of every secret, the longest first. */
export function mask(text: string, secrets: readonly string[]): string {
  const hidden = [...new Set(secrets)].filter((secret) => secret !== '' && secret.length <= text.length);
  hidden.sort((a, b) => b.length - a.length);
  return hidden.reduce((masked, secret) => masked.replaceAll(new RegExp(patternOf(secret), 'g'), HIDDEN), text);
}
