import type { Terminal } from '../shell/terminal.ts';
import { credentialsIn } from './aws-credentials.ts';

/** In place of a key: requests have a token that the credentials of AWS sign (docs/sign-in.md). */
export const AWS_IAM = 'aws-iam';

/** A token is renewed after this time, milliseconds. It is valid for 15 minutes. */
const RENEWAL_MS = 10 * 60_000;

/** The region in the host of an API on AWS: the nearest STS to the service, and the only one that a private network may reach. */
const REGION_OF_API = /\.execute-api\.([a-z\d-]+)\.amazonaws\.com(\.cn)?$/;

async function sign(url: string, env: Terminal['env']): Promise<string> {
  const { host, hostname } = new URL(url);
  const ofUser = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'];
  const region = REGION_OF_API.exec(hostname)?.[1] ?? (ofUser || 'us-east-1');
  const endpoint = env['AWS_ENDPOINT_URL_STS'] || env['AWS_ENDPOINT_URL'] || undefined;
  // The signer is loaded when it is needed.
  const { signIamToken } = await import('../../../lib/adapters/portable/tokens/iam-signing.ts');
  const credentials = await credentialsIn(env);
  return signIamToken({ credentials, audience: host, region, endpoint });
}

/**
 * What a request to the service at a URL has in place of the key `aws-iam`: a token for that service alone, renewed in time. Throws
 * CommandFailedError without credentials.
 */
export function iamTokensFor(url: string, env: Terminal['env']): () => Promise<string> {
  let last: { readonly token: Promise<string>; readonly until: number } | undefined;
  return async () => {
    if (last === undefined || Date.now() >= last.until) {
      last = { token: sign(url, env), until: Date.now() + RENEWAL_MS };
    }
    try {
      return await last.token;
    } catch (error) {
      // The user may have signed in again before the next request.
      last = undefined;
      throw error;
    }
  };
}
