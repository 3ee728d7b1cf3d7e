import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { Functions } from '../functions/functions.ts';
import { acknowledge } from '../rights/acknowledge.ts';
import { sameAccount } from '../rights/same-account.ts';
import type { Settings } from '../settings/settings.ts';

export interface RolloutProps {
  readonly settings: Settings;
  readonly functions: Functions;
  /** Each of them rolls the update back. */
  readonly alarms: readonly Alarm[];
}

/**
 * Moves the calls of each function to its new version in steps, by CodeDeploy. An alarm meanwhile moves them back, and
 * the update of the stack fails and rolls back.
 */
export class Rollout extends Construct {
  constructor(scope: Construct, id: string, { settings, functions, alarms }: RolloutProps) {
    super(scope, id);
    const application = new LambdaApplication(this, 'Application');
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com', sameAccount(this)),
      description: 'Role of CodeDeploy: it moves aliases and reads alarms',
    });
    const deploymentConfig = LambdaDeploymentConfig.fromLambdaDeploymentConfigName(
      this,
      'Config',
      `CodeDeployDefault.Lambda${settings.rollout}`,
    );
    for (const { node, alias } of functions.all) {
      if (alias === undefined) continue;
      new LambdaDeploymentGroup(this, node.id, { application, alias, role, deploymentConfig, alarms: [...alarms] });
    }
    acknowledge(role, {
      'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]':
        'The policy of AWS for this purpose; the construct of CDK adds it.',
    });
  }
}
