import type { IssuerTokens, OidcSettings } from '../../../ports/tokens.ts';
import { loadVerification } from './loading.ts';
import { accepted } from './refusals.ts';
import { remembering } from './remembered.ts';
import { limitedTo } from './simultaneous.ts';

/** Sign-ins that are redeemed at the same time: any client may ask for one. */
const MAX_REDEEMED = 20;

/**
 * The tokens of an issuer. A token that was verified is accepted until it expires, without another verification. `now`:
 * milliseconds since 1970.
 */
export function issuerTokens(settings: OidcSettings, now: () => number): IssuerTokens {
  const load = async () => (await loadVerification()).openVerification(settings, now);
  let loaded: ReturnType<typeof load> | undefined;
  const open = () => {
    loaded ??= load();
    return loaded;
  };
  return {
    settings,
    verify: remembering(async (token) => accepted(await (await open()).verify(token)), now),
    authorizationUrl: async () => accepted(await (await open()).authorization()).url,
    redeem: limitedTo(MAX_REDEEMED, async (grant) => accepted(await (await open()).redeem(grant))),
  };
}
