import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';

/** Allows a role some actions of a service on resources. The actions are named without the prefix of the service. */
export function allow(role: IRole, service: string, actions: readonly string[], resources: readonly string[]): void {
  role.addToPrincipalPolicy(
    new PolicyStatement({ actions: actions.map((action) => `${service}:${action}`), resources: [...resources] }),
  );
}
