import { fileURLToPath } from 'node:url';

/**
 * Packages in whose place a bundle has something smaller: what the runtime brings, or nothing, as it is never used.
 * They are 120 kB of every function that opens a secret (docs/decisions/031).
 */
export const ALIASES: Readonly<Record<string, string>> = {
  'readable-stream': 'node:stream',
  'asn1.js': fileURLToPath(new URL('./no-asn1.ts', import.meta.url)),
};
