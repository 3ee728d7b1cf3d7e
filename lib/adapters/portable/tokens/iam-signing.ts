import { presignForAws, type SigningCredentials } from '../aws-signature.ts';
import { AUDIENCE_HEADER, IAM_PREFIX, MAX_AGE_S } from './iam-verification.ts';

/** Who signs a token, for which service, and which STS verifies it. */
export interface IamSigning {
  readonly credentials: SigningCredentials;
  /** The host of the service. */
  readonly audience: string;
  readonly region: string;
  /** The URL of STS in place of the endpoint of AWS in the region, for emulators. */
  readonly endpoint?: string | undefined;
}

/** The endpoint of STS in a region. */
const endpointIn = (region: string): string =>
  `https://sts.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;

/** Signs a token for the sign-in by IAM, which is valid for 15 minutes. */
export async function signIamToken({ credentials, audience, region, endpoint }: IamSigning): Promise<string> {
  const url = new URL(endpoint ?? endpointIn(region));
  url.pathname = '/';
  url.search = 'Action=GetCallerIdentity&Version=2011-06-15';
  const headers = { [AUDIENCE_HEADER]: audience };
  const signed = await presignForAws({ service: 'sts', region, credentials, url, headers, expiresIn: MAX_AGE_S });
  return `${IAM_PREFIX}${Buffer.from(signed).toString('base64url')}`;
}
