// Replaces the package re2js in bundles: the engine of regular expressions, 155 kB, is loaded with the first expression.
import { createRequire } from 'node:module';
import type { RE2JS as Engine } from 're2js';

const load = createRequire(import.meta.url);

/** Compiles expressions, as re2js does. */
export const RE2JS = {
  compile: (pattern: string): Engine => (load('./re2.cjs') as typeof import('re2js')).RE2JS.compile(pattern),
};
