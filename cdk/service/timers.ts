import type { IRole, Role } from 'aws-cdk-lib/aws-iam';
import { CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { allow } from '../rights/allow.ts';
import type { Settings } from '../settings/settings.ts';
import { grantSchedules, newScheduleRole } from './schedule-groups.ts';

/** The resources of the timers of delays, which are schedules that are created at run time: a group and a role. */
export class DelayTimers extends Construct {
  readonly #group: string;
  readonly #role: Role;

  constructor(scope: Construct, id: string, { name }: Settings, stepsArn: string) {
    super(scope, id);
    // No name of an installation contains a double hyphen, so this is no other installation's group.
    this.#group = `${name}--timers`;
    new CfnScheduleGroup(this, 'Group', { name: this.#group });
    this.#role = newScheduleRole(this, 'Role', this.#group, 'Role of the timers of delays');
    allow(this.#role, 'lambda', ['InvokeFunction'], [stepsArn]);
  }

  /** The environment variables for the timers adapter. */
  get environment(): Record<string, string> {
    return { WEFT_TIMER_GROUP: this.#group, WEFT_TIMER_ROLE: this.#role.roleArn };
  }

  /** Allows a role to create schedules of the group. */
  grant(role: IRole): void {
    grantSchedules(this, role, {
      group: this.#group,
      role: this.#role,
      actions: ['CreateSchedule'],
      reason: 'Timers are created at run time; all of them are in this group.',
    });
  }
}
