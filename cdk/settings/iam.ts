import { Token } from 'aws-cdk-lib';
import { iamIn } from '../../lib/domain/credentials/iam.ts';
import { isObject } from '../../lib/language/json.ts';
import type { Iam } from './settings.ts';

/** Functions receive the settings in their environment, which is limited to 4 KB. */
const MAX_LENGTH = 1000;

/** In place of the host of the API, and of the ARN of a role of the same app, which are known only at deployment. */
const LATER = 'later.invalid';
const laterArn = (index: number): string => `arn:aws:iam::000000000000:role/later-${index}`;

const isLater = (text: string): boolean => Token.isUnresolved(text);

/** Checks the settings with stand-ins for what is known later. Throws Error with a message for the operator. */
function check(value: Readonly<Record<string, unknown>>): Iam {
  const given = isObject(value['principals']) ? Object.entries(value['principals']) : [];
  const arns = given.map(([arn], index) => (isLater(arn) ? laterArn(index) : arn));
  const principals = Object.fromEntries(given.map(([, grant], index) => [arns[index], grant]));
  const settings = iamIn({ audience: LATER, ...value, principals });
  const entries = given.map(([arn], index) => [arn, settings.principals[arns[index] ?? '']] as const);
  const { audience } = settings;
  const own = audience === LATER ? {} : { audience };
  return { ...own, principals: Object.fromEntries(entries) as Iam['principals'] };
}

/**
 * Reads the sign-in by IAM, as cdk.json or a property has it, or its JSON text. Throws Error whose message follows the name of the
 * setting.
 */
export function iam(value: unknown): Iam {
  let settings: Iam;
  try {
    const given: unknown = typeof value === 'string' ? JSON.parse(value) : value;
    settings = isObject(given) ? check(given) : iamIn(given);
  } catch (error) {
    throw new Error(`cannot be used: ${(error as Error).message}`);
  }
  const length = JSON.stringify(settings).length;
  if (length > MAX_LENGTH) throw new Error(`has ${length} characters as JSON; at most ${MAX_LENGTH} are possible`);
  return settings;
}
