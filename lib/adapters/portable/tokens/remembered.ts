import { hash } from 'node:crypto';
import { type Identity, SignInError, type VerifyToken } from '../../../ports/tokens.ts';

/** The longest token, characters. The heads of requests are hardly longer. */
const MAX_LENGTH = 16 * 1024;
/** Valid tokens that a process remembers. */
const MAX_REMEMBERED = 1_000;

/** A valid token, and when it expires, milliseconds since 1970. */
export interface Verified {
  readonly identity: Identity;
  readonly expires: number;
}

/**
 * A verification that remembers valid tokens until they expire: each is verified once, if its identity `isKept`. `now`:
 * milliseconds since 1970. The result throws SignInError for a token that is too long, and what `verify` throws.
 */
export function remembering(verify: (token: string) => Promise<Verified>, now: () => number): VerifyToken {
  const remembered = new Map<string, Verified>();
  return async (token, isKept = () => true) => {
    if (token.length > MAX_LENGTH) {
      throw new SignInError('refused', `the token has ${token.length} characters; at most ${MAX_LENGTH} are accepted`);
    }
    const id = hash('sha256', token, 'base64');
    const known = remembered.get(id);
    if (known !== undefined && now() < known.expires) return known.identity;
    remembered.delete(id);
    const verified = await verify(token);
    if (isKept(verified.identity)) remembered.set(id, verified);
    const oldest = remembered.size > MAX_REMEMBERED ? remembered.keys().next().value : undefined;
    if (oldest !== undefined) remembered.delete(oldest);
    return verified.identity;
  };
}
