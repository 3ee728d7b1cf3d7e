import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { acknowledge } from '../rights/acknowledge.ts';
import { allow } from '../rights/allow.ts';
import type { Settings } from '../settings/settings.ts';

/** A qualifier at the end of the ARN of a function. */
const QUALIFIED = /:function:[^:]+:[^:]+$/;

/** The ARN of a function that is named by its name or its ARN. */
function arnOf(role: IRole, name: string): string {
  if (name.startsWith('arn:') || name.startsWith('$' + '{')) return name;
  const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
  return Stack.of(role).formatArn({ service: 'lambda', resource: 'function', resourceName: name, arnFormat });
}

/** An ARN in the form of the security rules. */
const shown = (name: string): string =>
  name.startsWith('arn:') ? name : `arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:function:${name}`;

/**
 * Allows a role to invoke the functions that workflows may call. A name without a version or alias allows all of them.
 */
export function grantLambdas({ lambdas }: Pick<Settings, 'lambdas'>, role: IRole): void {
  if (lambdas.length === 0) return;
  const resources = lambdas.flatMap((name) => {
    const arn = arnOf(role, name);
    return QUALIFIED.test(name) ? [arn] : [arn, `${arn}:*`];
  });
  allow(role, 'lambda', ['InvokeFunction'], resources);
  const reason = 'The versions and aliases of a function that the setting `lambdas` names.';
  const all = lambdas.filter((name) => !QUALIFIED.test(name));
  acknowledge(role, Object.fromEntries(all.map((name) => [`IAM5[Resource::${shown(name)}:*]`, reason])));
}
