import { matchesGlob } from '../../events/glob.ts';
import { isObject } from '../../language/json.ts';
import { parseJson } from '../../language/json-numbers.ts';
import { textOf } from '../../language/own-members.ts';
import type { GroupGrant, IamSettings } from '../../ports/tokens.ts';
import { grantsIn } from './grants.ts';

/** A principal, or several by `*`: an account is always named, because each account may have a role of any name. */
const PRINCIPAL = /^arn:aws[\w-]*:iam::\d{12}:(root|role\/[\w+=,.@*-]+|user\/[\w+=,.@*/-]+)$/;
const ROLE_WITH_PATH = /^(arn:aws[\w-]*:iam::\d{12}:role)\/.*\/([^/]+)$/;

/** The account of an ARN, as principals name all of it. */
const ACCOUNT = /^arn:(aws[\w-]*):(?:iam|sts)::(\d{12}):/;
/** A session of a role. STS leaves out the path of the role. */
const SESSION = /^arn:(aws[\w-]*):sts::(\d{12}):assumed-role\/([^/]+)\/.+$/;

/** Whether a principal of the settings includes the identity with this ARN, as STS returns it. */
function includes(principal: string, arn: string): boolean {
  const [, partition, account] = ACCOUNT.exec(arn) ?? [];
  if (principal === `arn:${partition}:iam::${account}:root`) return true;
  return matchesGlob(principal, arn.replace(SESSION, 'arn:$1:iam::$2:role/$3'));
}

/** The grants of the principals that include the identity with this ARN, as STS returns it. */
export const grantsFor = ({ principals }: Pick<IamSettings, 'principals'>, arn: string): GroupGrant[] =>
  Object.entries(principals)
    .filter(([principal]) => includes(principal, arn))
    .map(([, grant]) => grant);

function needPrincipal(text: string): void {
  if (PRINCIPAL.test(text)) return;
  const [, role, name] = ROLE_WITH_PATH.exec(text) ?? [];
  if (role !== undefined) throw new Error(`'${text}' has a path, which STS leaves out: write '${role}/${name}'`);
  throw new Error(
    `'${text}' is no principal: write arn:aws:iam::ACCOUNT:role/NAME or arn:aws:iam::ACCOUNT:user/NAME, with * for any ` +
      'characters in a name, or arn:aws:iam::ACCOUNT:root for all principals of an account',
  );
}

/** A host with a port, or any other name without spaces: it is the value of a header. */
const AUDIENCE = /^[\x21-\x7e]{1,255}$/;

const EXAMPLE =
  'principals has none; an example is {"arn:aws:iam::123456789012:role/deployers":{"permission":"write"}}';

const MEMBERS: readonly string[] = ['audience', 'principals'];

/**
 * Checks the settings of the sign-in by IAM: an object, or its JSON text. The grant of a principal may be its permission
 * alone. Throws Error with a message for the operator that names the member.
 */
export function iamIn(given: unknown): IamSettings {
  const value = typeof given === 'string' ? parseJson(given) : given;
  if (!isObject(value)) throw new Error(`it is no object with ${MEMBERS.join(', ')}`);
  const unknown = Object.keys(value).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) throw new Error(`'${unknown}' is no member; the members are ${MEMBERS.join(', ')}`);
  const { audience } = value;
  if (typeof audience !== 'string' || !AUDIENCE.test(audience)) {
    throw new Error(`audience is '${textOf(audience)}'; it must be the host of the service, such as flows.example.com`);
  }
  const principals = grantsIn('principal', value['principals'], EXAMPLE);
  for (const principal of Object.keys(principals)) needPrincipal(principal);
  return { audience, principals };
}
