import { RE2JS } from 're2js';

/** The brands whose codes existing workflows match. */
const BRANDS = ['service', 'direktiv'];

/** Compiled patterns kept; the one unused longest goes first. */
const MOST_PATTERNS = 1000;

type Compiled = { readonly expression: RE2JS } | { readonly problem: string };

const compiled = new Map<string, Compiled>();

/**
 * True when an error code matches a pattern of `catch.error` or `retries.codes`: an RE2 regular expression found
 * anywhere in the code, or `*` for everything (workflow language, 7.3). A code of any known brand is tried in the
 * spelling of each: `service.`, `direktiv.` and that of the installation. A pattern that does not compile matches nothing.
 */
export function matchesCode(pattern: string, code: string, brand = 'service'): boolean {
  if (pattern === '*') return true;
  const entry = compile(pattern);
  return 'expression' in entry && spellings(code, brand).some((spelling) => entry.expression.test(spelling));
}

/** Why the pattern does not compile, or undefined when it does. */
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
  const entry = compiled.get(pattern) ?? compileAnew(pattern);
  // Deleting first moves the entry to the end: the map's order is the order of use.
  compiled.delete(pattern);
  compiled.set(pattern, entry);
  const oldest = compiled.size > MOST_PATTERNS ? compiled.keys().next().value : undefined;
  if (oldest !== undefined) compiled.delete(oldest);
  return entry;
}

function compileAnew(pattern: string): Compiled {
  try {
    return { expression: RE2JS.compile(pattern) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
