/** Stored bytes as a value: JSON as what it says, anything else as base64 text. */
export function toValue(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return Buffer.from(bytes).toString('base64');
  }
}
