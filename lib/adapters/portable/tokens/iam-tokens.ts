import { grantsFor } from '../../../domain/credentials/iam.ts';
import type { IamSettings, IamTokens, Identity } from '../../../ports/tokens.ts';
import { loadVerification } from './loading.ts';
import { accepted } from './refusals.ts';
import { remembering } from './remembered.ts';

/**
 * The tokens of IAM (`openIamVerification`). A token that was verified is accepted until it expires. `now`: milliseconds since
 * 1970. `endpoint`: the URL of STS in place of the endpoints of AWS, for emulators.
 */
export function iamTokens(settings: IamSettings, now: () => number, endpoint?: string): IamTokens {
  const open = async () => (await loadVerification()).openIamVerification(settings, now, endpoint);
  let opened: ReturnType<typeof open> | undefined;
  const verify = async (token: string) => {
    opened ??= open();
    return accepted(await (await opened).verify(token));
  };
  // Every account of AWS can sign: those without rights must not take the memory of the others.
  const hasRights = ({ name }: Identity) => grantsFor(settings, name).length > 0;
  return { settings, verify: remembering(verify, now, hasRights) };
}
