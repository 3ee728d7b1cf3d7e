import type { IamSettings, IamTokens } from '../../../ports/tokens.ts';
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
  return { settings, verify: remembering(verify, now) };
}
