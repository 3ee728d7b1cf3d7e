/** Shortens an id in the middle: `01a202d4…adeb1`. A short text is not changed. */
export function cutMiddle(text: string, start = 8, end = 5): string {
  return text.length <= start + end + 1 ? text : `${text.slice(0, start)}…${text.slice(-end)}`;
}

/** `10,002`. */
export const numeric = (value: number): string => value.toLocaleString('en-US');

/** `once`, `3 times`. */
export const times = (number: number): string => (number === 1 ? 'once' : `${numeric(number)} times`);

/** `1 run`, `12 runs`, `10,002 runs`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${numeric(number)} ${number === 1 ? one : many}`;
}

/** `12 B`, `3.4 kB`, `1.2 MB`. */
export function byteSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1).replace(/\.0$/, '')} ${units[unit]}`;
}

/** The bytes of base64. */
export function bytesOfBase64(data: string): Uint8Array<ArrayBuffer> {
  const binary = atob(data);
  const bytes = new Uint8Array(binary.length);
  // A function for each character would take seconds for tens of megabytes.
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/** Decodes base64 as UTF-8; invalid bytes become replacement characters. */
export const textOfBase64 = (data: string): string => new TextDecoder().decode(bytesOfBase64(data));

/** Base64 of a text in UTF-8. */
export function base64OfText(text: string): string {
  let binary = '';
  for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
  return btoa(binary);
}
