import { parseJson } from './json-numbers.ts';
/** Stored bytes as a value: the value of JSON text, base64 text of anything else. */
export function toValue(bytes: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return Buffer.from(bytes).toString('base64');
  }
}
