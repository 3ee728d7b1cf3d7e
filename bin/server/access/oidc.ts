import { readFileSync } from 'node:fs';
import { oidcIn } from '../../../lib/domain/credentials/oidc.ts';
import { parseJson } from '../../../lib/language/json-numbers.ts';
import { omitUndefined } from '../../../lib/language/omit-undefined.ts';
import type { OidcSettings } from '../../../lib/ports/tokens.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables with the members of the settings. */
const VARIABLES = {
  issuer: 'WEFT_OIDC_ISSUER',
  audience: 'WEFT_OIDC_AUDIENCE',
  groups: 'WEFT_OIDC_GROUPS',
  groupsClaim: 'WEFT_OIDC_GROUPS_CLAIM',
  nameClaim: 'WEFT_OIDC_NAME_CLAIM',
  client: 'WEFT_OIDC_CLIENT',
} as const satisfies Record<keyof OidcSettings, string>;

/** The groups: JSON, or the path of a file with it. */
function groupsIn(text: string): unknown {
  const json = text.trimStart().startsWith('{') ? text : readFileSync(text, 'utf8');
  return parseJson(json);
}

/**
 * Reads the settings of the sign-in by OpenID Connect from the environment. Undefined without WEFT_OIDC_ISSUER. Throws Error with a
 * message for the user that names the variables.
 */
export function readOidc(environment: Environment): OidcSettings | undefined {
  const given = Object.entries(VARIABLES).filter(([, variable]) => environment[variable]);
  const [first] = given;
  if (first === undefined) return undefined;
  if (!environment[VARIABLES.issuer]) throw new Error(`${first[1]} needs ${VARIABLES.issuer} as well`);
  try {
    const { groups = '', ...members } = Object.fromEntries(
      given.map(([name, variable]) => [name, environment[variable]]),
    ) as Partial<Record<keyof OidcSettings, string>>;
    return oidcIn(omitUndefined({ ...members, groups: groups === '' ? undefined : groupsIn(groups) }));
  } catch (error) {
    throw new Error(`WEFT_OIDC_*: ${error instanceof Error ? error.message : error}`);
  }
}
