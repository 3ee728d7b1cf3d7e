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

/** The result of a call of the module, which returns refusals. Throws OidcError. */
function accepted<T extends object>(result: T | verification.Refusal): T {
  if ('problem' in result) throw new OidcError(result.problem, result.message);
  return result;
}

/** Sign-ins that are redeemed at the same time: any client may ask for one. */
const MAX_REDEEMED = 20;

/**
 * The tokens of an issuer. A token that was verified is accepted until it expires, without another verification. `now`:
 * milliseconds since 1970.
 */
export function issuerTokens(settings: OidcSettings, now: () => number): Tokens {
  let loaded: ReturnType<typeof load> | undefined;
  const open = () => {
    loaded ??= load(settings, now);
    return loaded;
  };
  const remembered = new Map<string, verification.Verified>();
  const remember = (id: string, verified: verification.Verified): void => {
    remembered.set(id, verified);
    const oldest = remembered.size > MAX_REMEMBERED ? remembered.keys().next().value : undefined;
    if (oldest !== undefined) remembered.delete(oldest);
  };
  let redeemed = 0;
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
      const verified = accepted(await (await open()).verify(token));
      remember(id, verified);
      return verified.identity;
    },
    authorizationUrl: async () => accepted(await (await open()).authorization()).url,
    redeem: async (grant) => {
      if (redeemed >= MAX_REDEEMED) throw new OidcError('unavailable', 'too many sign-ins at this moment; try again');
      redeemed += 1;
      try {
        return accepted(await (await open()).redeem(grant));
      } finally {
        redeemed -= 1;
      }
    },
  };
}
