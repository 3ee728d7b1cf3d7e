import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { AwsAccess } from '../deployment.ts';

/** The access of this process to AWS, by a profile or the environment. Throws without credentials. */
export async function accountAccess(region: string, profile?: string): Promise<AwsAccess> {
  // The clients of the SDK and the command line of CDK read both from here.
  if (profile !== undefined) process.env['AWS_PROFILE'] = profile;
  process.env['AWS_REGION'] = region;
  const { Account = '' } = await new STSClient({ region }).send(new GetCallerIdentityCommand());
  return { account: Account, region, endpoint: undefined, client: { region }, environment: {} };
}
