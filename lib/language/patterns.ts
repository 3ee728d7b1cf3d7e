import { RE2JS } from 're2js';
import { partsOf } from './pattern-parts.ts';

/** The first parts of error codes that existing workflows match. */
const BRANDS = ['service', 'direktiv'];

/** Compiled patterns cached; the least recently used one is removed first. */
const MAX_PATTERNS = 1000;

/** The largest pattern: its characters, and its parts with each repeated as often as its `{n}` says. */
export const MAX_PATTERN = 1000;

type Compiled = { readonly expression: RE2JS } | { readonly problem: string };

const compiled = new Map<string, Compiled>();

/**
 * True when an error code matches a pattern of `catch.error` or `retries.codes`: an RE2 regular expression that matches
 * anywhere in the code, or `*` for every code (workflow-language 7.3). A code that begins with one of the brands
 * `service`, `direktiv` and that of the installation is tested with each of them. A pattern that does not compile matches
 * no code.
 */
export function matchesCode(pattern: string, code: string, brand = 'service'): boolean {
  if (pattern === '*') return true;
  const entry = compile(pattern);
  return 'expression' in entry && spellings(code, brand).some((spelling) => entry.expression.test(spelling));
}

/** Returns the reason why a pattern does not compile; undefined if it does. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern === '*') return undefined;
  const entry = compile(pattern);
  return 'problem' in entry ? entry.problem : undefined;
}

function spellings(code: string, brand: string): string[] {
  const brands = BRANDS.includes(brand) ? BRANDS : [...BRANDS, brand];
  const own = brands.find((name) => code.startsWith(`${name}.`));
  return own === undefined ? [code] : brands.map((name) => name + code.slice(own.length));
}

function compile(pattern: string): Compiled {
  const entry = compiled.get(pattern) ?? compileUncached(pattern);
  // Deletion and insertion move the entry to the end, so the order of the map is the order of use.
  compiled.delete(pattern);
  compiled.set(pattern, entry);
  const oldest = compiled.size > MAX_PATTERNS ? compiled.keys().next().value : undefined;
  if (oldest !== undefined) compiled.delete(oldest);
  return entry;
}

function compileUncached(pattern: string): Compiled {
  if (partsOf(pattern, MAX_PATTERN) > MAX_PATTERN) {
    return { problem: `it has more than ${MAX_PATTERN} parts, repeated ones counted each time` };
  }
  try {
    return { expression: RE2JS.compile(pattern) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
