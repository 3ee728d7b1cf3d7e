import { readFileSync } from 'node:fs';
import { iamIn } from '../../../lib/domain/credentials/iam.ts';
import { oidcIn } from '../../../lib/domain/credentials/oidc.ts';
import { parseJson } from '../../../lib/language/json-numbers.ts';
import { omitUndefined } from '../../../lib/language/omit-undefined.ts';
import type { IamSettings, OidcSettings } from '../../../lib/ports/tokens.ts';

type Texts = Readonly<Record<keyof OidcSettings, string | undefined>>;

/** A table of grants: JSON, or the path of a file with it. */
function tableIn(text: string): unknown {
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
    return oidcIn(omitUndefined({ ...members, groups: groups && tableIn(groups) }));
  } catch (error) {
    throw new Error(`WEFT_OIDC_*: ${error instanceof Error ? error.message : error}`);
  }
}

/**
 * Reads the settings of the sign-in by IAM from the variables WEFT_IAM_PRINCIPALS, and WEFT_IAM_AUDIENCE or the URL of the service.
 * Undefined without principals. Throws Error with a message for the user.
 */
export function readIam(
  principals: string | undefined,
  audience: string | undefined,
  url: string | undefined,
): IamSettings | undefined {
  if (!principals && !audience) return undefined;
  if (!principals) throw new Error('WEFT_IAM_AUDIENCE needs WEFT_IAM_PRINCIPALS as well');
  if (!audience && !url) throw new Error('WEFT_IAM_PRINCIPALS needs WEFT_URL, or WEFT_IAM_AUDIENCE, as well');
  try {
    return iamIn({ audience: audience || new URL(url ?? '').host, principals: tableIn(principals) });
  } catch (error) {
    throw new Error(`WEFT_IAM_*: ${error instanceof Error ? error.message : error}`);
  }
}
