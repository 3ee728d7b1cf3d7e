import { fileURLToPath } from 'node:url';

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/**
 * Packages that a bundle replaces by something smaller: a part of the runtime, a stub of unused code, or a file that is loaded
 * when it is first needed. They are 170 kB of every function that decrypts secrets, and 155 kB of each that runs workflows
 * (docs/decisions/037).
 */
export const ALIASES: Readonly<Record<string, string>> = {
  re2js: here('./re2.ts'),
  'readable-stream': here('./node-streams.ts'),
  'asn1.js': here('./no-asn1.ts'),
  'bn.js': here('./big-numbers.ts'),
  duplexify: here('./joined-streams.ts'),
};
