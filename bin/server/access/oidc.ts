import { readFileSync } from 'node:fs';
import { oidcIn } from '../../../lib/domain/credentials/oidc.ts';
import { parseJson } from '../../../lib/language/json-numbers.ts';
import { omitUndefined } from '../../../lib/language/omit-undefined.ts';
import type { OidcSettings } from '../../../lib/ports/tokens.ts';

type Texts = Readonly<Record<keyof OidcSettings, string | undefined>>;

/** The groups: JSON, or the path of a file with it. */
function groupsIn(text: string): unknown {
  const json = text.trimStart().startsWith('{') ? text : readFileSync(text, 'utf8');
  return parseJson(json);
}

/**
 * Reads the settings of the sign-in by OpenID Connect from the texts of the variables WEFT_OIDC_*. Undefined if all are empty.
 * Throws Error with a message for the user.
 */
export function readOidc(texts: Texts): OidcSettings | undefined {
  const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text)) as Partial<Texts>;
  if (Object.keys(given).length === 0) return undefined;
  if (given.issuer === undefined) throw new Error('the variables WEFT_OIDC_* need WEFT_OIDC_ISSUER as well');
  try {
    const { groups, ...members } = given;
    return oidcIn(omitUndefined({ ...members, groups: groups && groupsIn(groups) }));
  } catch (error) {
    throw new Error(`WEFT_OIDC_*: ${error instanceof Error ? error.message : error}`);
  }
}
