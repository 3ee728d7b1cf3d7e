import { type IssuerTokens, type OidcSettings, SignInError } from '../../../ports/tokens.ts';
import { remembering } from './remembered.ts';
import { limitedTo } from './simultaneous.ts';
import type * as verification from './verification.ts';

/** A bundle has the module beside it: most functions never get a token. */
async function load(settings: OidcSettings, now: () => number) {
  const file = import.meta.url.endsWith('.ts') ? './verification.ts' : './tokens.mjs';
  const { openVerification } = (await import(new URL(file, import.meta.url).href)) as typeof verification;
  return openVerification(settings, now);
}

/** The result of a call of the module, which returns refusals. Throws SignInError. */
function accepted<T extends object>(result: T | verification.Refusal): T {
  if ('problem' in result) throw new SignInError(result.problem, result.message);
  return result;
}

/** Sign-ins that are redeemed at the same time: any client may ask for one. */
const MAX_REDEEMED = 20;

/**
 * The tokens of an issuer. A token that was verified is accepted until it expires, without another verification. `now`:
 * milliseconds since 1970.
 */
export function issuerTokens(settings: OidcSettings, now: () => number): IssuerTokens {
  let loaded: ReturnType<typeof load> | undefined;
  const open = () => {
    loaded ??= load(settings, now);
    return loaded;
  };
  return {
    settings,
    verify: remembering(async (token) => accepted(await (await open()).verify(token)), now),
    authorizationUrl: async () => accepted(await (await open()).authorization()).url,
    redeem: limitedTo(MAX_REDEEMED, async (grant) => accepted(await (await open()).redeem(grant))),
  };
}
