import { isSecureUrl } from '../../egress/addresses.ts';
import { isObject } from '../../language/json.ts';
import { parseJson } from '../../language/json-numbers.ts';
import { omitUndefined } from '../../language/omit-undefined.ts';
import { textOf } from '../../language/own-members.ts';
import type { OidcSettings } from '../../ports/tokens.ts';
import { grantsIn } from './grants.ts';

function audienceIn(value: unknown): string[] {
  const texts = typeof value === 'string' ? value.split(/[\s,]+/).filter((part) => part !== '') : value;
  if (Array.isArray(texts) && texts.length > 0 && texts.every((text) => typeof text === 'string' && text !== '')) {
    return texts;
  }
  throw new Error("audience is missing: the values of the claim 'aud' of tokens for this service");
}

function textIn(name: string, value: unknown): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw new Error(`${name} is no text`);
}

const EXAMPLE = 'groups has no group; an example is {"admins":{"permission":"admin"}}';

const MEMBERS: readonly string[] = ['issuer', 'audience', 'groups', 'groupsClaim', 'nameClaim', 'client'];

/**
 * Checks the settings of the sign-in by OpenID Connect: an object, or its JSON text. The grant of a group may be its
 * permission alone. Throws Error with a message for the operator that names the member.
 */
export function oidcIn(given: unknown): OidcSettings {
  const value = typeof given === 'string' ? parseJson(given) : given;
  if (!isObject(value)) throw new Error(`it is no object with ${MEMBERS.join(', ')}`);
  const unknown = Object.keys(value).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) throw new Error(`'${unknown}' is no member; the members are ${MEMBERS.join(', ')}`);
  const { issuer } = value;
  if (typeof issuer !== 'string' || !isSecureUrl(issuer)) {
    throw new Error(
      `issuer is '${textOf(issuer)}'; it must be a URL with https, such as https://id.example.com/realms/flows`,
    );
  }
  return omitUndefined({
    issuer,
    audience: audienceIn(value['audience']),
    groups: grantsIn('group', value['groups'], EXAMPLE),
    groupsClaim: textIn('groupsClaim', value['groupsClaim']),
    nameClaim: textIn('nameClaim', value['nameClaim']),
    client: textIn('client', value['client']),
  });
}
