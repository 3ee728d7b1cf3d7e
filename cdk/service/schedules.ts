import { ArnFormat, Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import type { Failed } from '../functions/failed.ts';
import { acknowledge } from '../rights/acknowledgements.ts';
import { allow } from '../rights/rights.ts';
import type { Settings } from '../settings/settings.ts';

const SCHEDULER = 'scheduler.amazonaws.com';

/** What schedules need that are made while the service runs: a group, a role, the function that they call. */
export class Schedules extends Construct {
  /** The name of the cron function. It is set, not made up, because functions must know its ARN before it is made. */
  readonly cronName: string;
  readonly #group: string;
  readonly #role: Role;

  constructor(scope: Construct, id: string, { name }: Settings, failed: Failed) {
    super(scope, id);
    this.cronName = `${name}-cron`;
    this.#group = name;
    new CfnScheduleGroup(this, 'Group', { name });
    this.#role = new Role(this, 'Role', {
      description: 'What schedules of workflows run as',
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
    failed.grant(this.#role);
  }

  /** Where functions find what schedules need. */
  get environment(): Record<string, string> {
    return {
      WEFT_SCHEDULE_GROUP: this.#group,
      WEFT_SCHEDULE_ROLE: this.#role.roleArn,
      WEFT_CRON: this.#cronArn,
    };
  }

  /** Lets a role set and remove schedules of the group. */
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
        'Schedules are made while the service runs; all of them are in its own group.',
    });
  }

  get #cronArn(): string {
    return this.#arn('lambda', 'function', this.cronName, ArnFormat.COLON_RESOURCE_NAME);
  }

  #arn(service: string, resource: string, resourceName: string, arnFormat: ArnFormat): string {
    return Stack.of(this).formatArn({ service, resource, resourceName, arnFormat });
  }
}
