import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';

/** Lets a role do some actions of a service, named without it, with some resources. */
export function allow(role: IRole, service: string, actions: readonly string[], resources: readonly string[]): void {
  role.addToPrincipalPolicy(
    new PolicyStatement({ actions: actions.map((action) => `${service}:${action}`), resources: [...resources] }),
  );
}
