import { fileURLToPath } from 'node:url';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/**
 * Packages in whose place a bundle has something smaller: what the runtime brings, or nothing, as it is never used.
 * They are 120 kB of every function that opens a secret (docs/decisions/033).
 */
export const ALIASES: Readonly<Record<string, string>> = {
  'readable-stream': here('./node-streams.ts'),
  'asn1.js': here('./no-asn1.ts'),
};
