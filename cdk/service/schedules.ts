import { ArnFormat, Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import type { DeadLetters } from '../functions/dead-letters.ts';
import { acknowledge } from '../rights/acknowledge.ts';
import { allow } from '../rights/allow.ts';
import type { Settings } from '../settings/settings.ts';

const SCHEDULER = 'scheduler.amazonaws.com';

/** What the schedules of workflows need, which are created at run time: a group, a role, the cron function. */
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
    this.#role = new Role(this, 'Role', {
      description: 'Role of the schedules of workflows',
      assumedBy: new ServicePrincipal(SCHEDULER, {
        conditions: {
          StringEquals: {
            'aws:SourceAccount': Stack.of(this).account,
            'aws:SourceArn': this.#arn('scheduler', 'schedule-group', name, ArnFormat.SLASH_RESOURCE_NAME),
          },
        },
      }),
    });
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
    const all = `${this.#group}/*`;
    const schedules = this.#arn('scheduler', 'schedule', all, ArnFormat.SLASH_RESOURCE_NAME);
    allow(role, 'scheduler', ['CreateSchedule', 'DeleteSchedule', 'UpdateSchedule'], [schedules]);
    role.addToPrincipalPolicy(
      new PolicyStatement({
        actions: ['iam:PassRole'],
        resources: [this.#role.roleArn],
        conditions: { StringEquals: { 'iam:PassedToService': SCHEDULER } },
      }),
    );
    acknowledge(role, {
      [`IAM5[Resource::arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/${all}]`]:
        'Schedules are created at run time; all of them are in this group.',
    });
  }

  get #cronArn(): string {
    return this.#arn('lambda', 'function', this.cronName, ArnFormat.COLON_RESOURCE_NAME);
  }

  #arn(service: string, resource: string, resourceName: string, arnFormat: ArnFormat): string {
    return Stack.of(this).formatArn({ service, resource, resourceName, arnFormat });
  }
}
