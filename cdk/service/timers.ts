import { ArnFormat, Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { acknowledge } from '../rights/acknowledge.ts';
import { allow } from '../rights/allow.ts';
import type { Settings } from '../settings/settings.ts';

const SCHEDULER = 'scheduler.amazonaws.com';

/** What the timers of delays need, which are schedules that are created at run time: a group and a role. */
export class DelayTimers extends Construct {
  readonly #group: string;
  readonly #role: Role;

  constructor(scope: Construct, id: string, { name }: Settings, stepsArn: string) {
    super(scope, id);
    // No name of an installation contains a double hyphen, so this is no other installation's group.
    this.#group = `${name}--timers`;
    new CfnScheduleGroup(this, 'Group', { name: this.#group });
    this.#role = new Role(this, 'Role', {
      description: 'Role of the timers of delays',
      assumedBy: new ServicePrincipal(SCHEDULER, {
        conditions: {
          StringEquals: {
            'aws:SourceAccount': Stack.of(this).account,
            'aws:SourceArn': this.#arn('schedule-group', this.#group),
          },
        },
      }),
    });
    allow(this.#role, 'lambda', ['InvokeFunction'], [stepsArn]);
  }

  /** The environment variables for the timers adapter. */
  get environment(): Record<string, string> {
    return { WEFT_TIMER_GROUP: this.#group, WEFT_TIMER_ROLE: this.#role.roleArn };
  }

  /** Allows a role to create schedules of the group. */
  grant(role: IRole): void {
    const all = `${this.#group}/*`;
    allow(role, 'scheduler', ['CreateSchedule'], [this.#arn('schedule', all)]);
    role.addToPrincipalPolicy(
      new PolicyStatement({
        actions: ['iam:PassRole'],
        resources: [this.#role.roleArn],
        conditions: { StringEquals: { 'iam:PassedToService': SCHEDULER } },
      }),
    );
    acknowledge(role, {
      [`IAM5[Resource::arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/${all}]`]:
        'Timers are created at run time; all of them are in this group.',
    });
  }

  #arn(resource: string, resourceName: string): string {
    const arnFormat = ArnFormat.SLASH_RESOURCE_NAME;
    return Stack.of(this).formatArn({ service: 'scheduler', resource, resourceName, arnFormat });
  }
}
