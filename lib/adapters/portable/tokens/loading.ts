import type * as bundled from './bundled.ts';

/** Loads the verification of tokens. A bundle has it in a module beside itself: most functions never get a token. */
export function loadVerification(): Promise<typeof bundled> {
  const file = import.meta.url.endsWith('.ts') ? './bundled.ts' : './tokens.mjs';
  return import(new URL(file, import.meta.url).href);
}
