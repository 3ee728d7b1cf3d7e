import { ArnFormat, Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { acknowledge } from '../rights/acknowledge.ts';
import { allow } from '../rights/allow.ts';

const SCHEDULER = 'scheduler.amazonaws.com';

function schedulerArn(scope: Construct, resource: string, resourceName: string): string {
  const arnFormat = ArnFormat.SLASH_RESOURCE_NAME;
  return Stack.of(scope).formatArn({ service: 'scheduler', resource, resourceName, arnFormat });
}

/** The role with which EventBridge Scheduler calls the targets of the schedules of this group only. */
export function newScheduleRole(scope: Construct, id: string, group: string, description: string): Role {
  return new Role(scope, id, {
    description,
    assumedBy: new ServicePrincipal(SCHEDULER, {
      conditions: {
        StringEquals: {
          'aws:SourceAccount': Stack.of(scope).account,
          'aws:SourceArn': schedulerArn(scope, 'schedule-group', group),
        },
      },
    }),
  });
}

/** The rights of a role on the schedules of a group, which are created at run time. */
export interface ScheduleRights {
  readonly group: string;
  /** The role that the schedules get. */
  readonly role: Role;
  readonly actions: readonly string[];
  /** Why the resource of the right has a wildcard, for the checks of rights. */
  readonly reason: string;
}

/** Allows a role to act on the schedules of a group, and to pass them their role. */
export function grantSchedules(scope: Construct, to: IRole, { group, role, actions, reason }: ScheduleRights): void {
  const all = `${group}/*`;
  allow(to, 'scheduler', [...actions], [schedulerArn(scope, 'schedule', all)]);
  to.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ['iam:PassRole'],
      resources: [role.roleArn],
      conditions: { StringEquals: { 'iam:PassedToService': SCHEDULER } },
    }),
  );
  const resource = `arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/${all}`;
  acknowledge(to, { [`IAM5[Resource::${resource}]`]: reason });
}
