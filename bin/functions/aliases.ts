import { fileURLToPath } from 'node:url';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/**
 * Packages that a bundle replaces by something smaller: a part of the runtime, or a stub of unused code. They are
 * 170 kB of every function that decrypts secrets (docs/decisions/037).
 */
export const ALIASES: Readonly<Record<string, string>> = {
  'readable-stream': here('./node-streams.ts'),
  'asn1.js': here('./no-asn1.ts'),
  'bn.js': here('./big-numbers.ts'),
  duplexify: here('./joined-streams.ts'),
};
