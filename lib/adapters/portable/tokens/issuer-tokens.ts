import { hash } from 'node:crypto';
import { OidcError, type OidcSettings, type Tokens } from '../../../ports/tokens.ts';
import type * as verification from './verification.ts';

/** The longest token, characters. The heads of requests are hardly longer. */
const MAX_LENGTH = 16 * 1024;
/** Valid tokens that a process remembers. */
const MAX_REMEMBERED = 1_000;

/** A bundle has the module beside it: most functions never get a token. */
async function load(settings: OidcSettings, now: () => number) {
  const file = import.meta.url.endsWith('.ts') ? './verification.ts' : './tokens.mjs';
  const { openVerification } = (await import(new URL(file, import.meta.url).href)) as typeof verification;
  return openVerification(settings, now);
}

/**
 * The tokens of an issuer. A token that was verified is accepted until it expires, without another verification. `now`:
 * milliseconds since 1970.
 */
export function issuerTokens(settings: OidcSettings, now: () => number): Tokens {
  let loaded: ReturnType<typeof load> | undefined;
  const remembered = new Map<string, verification.Verified>();
  const remember = (id: string, verified: verification.Verified): void => {
    remembered.set(id, verified);
    const oldest = remembered.size > MAX_REMEMBERED ? remembered.keys().next().value : undefined;
    if (oldest !== undefined) remembered.delete(oldest);
  };
  return {
    settings,
    verify: async (token) => {
      if (token.length > MAX_LENGTH) {
        throw new OidcError('refused', `the token has ${token.length} characters; at most ${MAX_LENGTH} are accepted`);
      }
      const id = hash('sha256', token, 'base64');
      const known = remembered.get(id);
      if (known !== undefined && now() < known.expires) return known.identity;
      remembered.delete(id);
      loaded ??= load(settings, now);
      const verified = await (await loaded)(token);
      if ('problem' in verified) throw new OidcError(verified.problem, verified.message);
      remember(id, verified);
      return verified.identity;
    },
  };
}
