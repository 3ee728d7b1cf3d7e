const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const NOT_ASCII = /[\u0080-\uffff]/;
const BEYOND_BYTE = /[\u0100-\uffff]/;

/**
 * The text of a header's value whose characters are its bytes, as Node gives it: UTF-8 if the bytes are UTF-8, as in the
 * original, else ISO 8859-1. A text with other characters is returned as it is.
 */
export function fromHeader(value: string): string {
  if (!NOT_ASCII.test(value) || BEYOND_BYTE.test(value)) return value;
  try {
    return utf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

/** The value of a header whose characters are the bytes of a text in UTF-8, as Node sends them. */
export function toHeader(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
}
