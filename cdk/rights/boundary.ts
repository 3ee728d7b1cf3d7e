import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { Settings } from '../settings/settings.ts';

/** Limits the rights of all roles of a construct by the policy of the settings, if there is one. */
export function limitRoles(scope: Construct, { permissionsBoundary }: Pick<Settings, 'permissionsBoundary'>): void {
  if (permissionsBoundary === undefined) return;
  const policy = ManagedPolicy.fromManagedPolicyArn(scope, 'Boundary', permissionsBoundary);
  PermissionsBoundary.of(scope).apply(policy);
}
