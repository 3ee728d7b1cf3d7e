/** The replacement of a secret in a text that is shown. */
const HIDDEN = '***';

/** The spellings in which a secret may come back: as it is, in a URL, in JSON, in base64. */
function spellingsOf(secret: string): string[] {
  const quoted = JSON.stringify(secret).slice(1, -1);
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  return [secret, encodeURIComponent(secret), encodeURI(secret), quoted, base64];
}

/** The text with `***` in place of every secret, the longest first. */
export function mask(text: string, secrets: readonly string[]): string {
  const spellings = [...new Set(secrets.filter((secret) => secret !== '').flatMap(spellingsOf))];
  spellings.sort((a, b) => b.length - a.length);
  return spellings.reduce((masked, spelling) => masked.replaceAll(spelling, HIDDEN), text);
}
