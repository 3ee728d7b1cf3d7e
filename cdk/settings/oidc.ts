import { Token } from 'aws-cdk-lib';
import { oidcIn } from '../../lib/domain/credentials/oidc.ts';
import { isObject } from '../../lib/language/json.ts';
import type { OidcSettings } from '../../lib/ports/tokens.ts';

/** Functions receive the settings in their environment, which is limited to 4 KB. */
const MAX_LENGTH = 1500;

/** In place of an issuer that is known only at deployment, such as that of a user pool of the same app. */
const LATER = 'https://issuer.invalid';

/**
 * Reads the sign-in by OpenID Connect, as cdk.json or a property has it, or its JSON text. Throws Error whose message follows the
 * name of the setting.
 */
export function oidc(value: unknown): OidcSettings {
  const issuer = isObject(value) ? value['issuer'] : undefined;
  const isLater = typeof issuer === 'string' && Token.isUnresolved(issuer);
  let settings: OidcSettings;
  try {
    settings = oidcIn(isLater ? { ...(value as object), issuer: LATER } : value);
  } catch (error) {
    throw new Error(`cannot be used: ${(error as Error).message}`);
  }
  const length = JSON.stringify(settings).length;
  if (length > MAX_LENGTH) throw new Error(`has ${length} characters as JSON; at most ${MAX_LENGTH} are possible`);
  return isLater ? { ...settings, issuer } : settings;
}
