import { Stack } from 'aws-cdk-lib';
import type { ServicePrincipalOpts } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/** A service of AWS may take a role only for a resource of the account of the stack. */
export const sameAccount = (scope: Construct): ServicePrincipalOpts => ({
  conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
});
