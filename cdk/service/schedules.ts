import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { IRole, Role } from 'aws-cdk-lib/aws-iam';
import { CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import type { DeadLetters } from '../functions/dead-letters.ts';
import { liveArn } from '../functions/live.ts';
import { allow } from '../rights/allow.ts';
import type { Settings } from '../settings/settings.ts';
import { grantSchedules, newScheduleRole } from './schedule-groups.ts';

/** The resources of the schedules of workflows, which are created at run time: a group, a role, the cron function. */
export class Schedules extends Construct {
  /** The name of the cron function. It is fixed, because functions need its ARN before it exists. */
  readonly cronName: string;
  readonly #group: string;
  readonly #role: Role;

  constructor(scope: Construct, id: string, { name }: Settings, deadLetters: DeadLetters) {
    super(scope, id);
    this.cronName = `${name}-cron`;
    this.#group = name;
    new CfnScheduleGroup(this, 'Group', { name });
    this.#role = newScheduleRole(this, 'Role', name, 'Role of the schedules of workflows');
    allow(this.#role, 'lambda', ['InvokeFunction'], [this.#cronArn]);
    deadLetters.grant(this.#role);
  }

  /** The environment variables for the schedules adapter. */
  get environment(): Record<string, string> {
    return {
      WEFT_SCHEDULE_GROUP: this.#group,
      WEFT_SCHEDULE_ROLE: this.#role.roleArn,
      WEFT_CRON: this.#cronArn,
    };
  }

  /** Allows a role to create, update and delete schedules of the group. */
  grant(role: IRole): void {
    grantSchedules(this, role, {
      group: this.#group,
      role: this.#role,
      actions: ['CreateSchedule', 'DeleteSchedule', 'UpdateSchedule'],
      reason: 'Schedules are created at run time; all of them are in this group.',
    });
  }

  get #cronArn(): string {
    const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
    const resourceName = this.cronName;
    return liveArn(Stack.of(this).formatArn({ service: 'lambda', resource: 'function', resourceName, arnFormat }));
  }
}
