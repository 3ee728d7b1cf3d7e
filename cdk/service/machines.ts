import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { acknowledge } from '../rights/acknowledgements.ts';
import { allow } from '../rights/rights.ts';
import type { Settings } from '../settings/settings.ts';

const STATES = 'states.amazonaws.com';

/** What Step Functions asks of a machine's role before it lets the machine log. */
const LOG_DELIVERY = [
  'CreateLogDelivery',
  'DeleteLogDelivery',
  'DescribeLogGroups',
  'DescribeResourcePolicies',
  'GetLogDelivery',
  'ListLogDeliveries',
  'PutResourcePolicy',
  'UpdateLogDelivery',
];

/** What state machines need that are made while the service runs: a role, a log group, the function that they call. */
export class Machines extends Construct {
  /** The name of the steps function. It is set, not made up, because the function must know its own ARN. */
  readonly stepsName: string;
  /** How the names of the machines begin that are made while the service runs. */
  readonly prefix: string;
  readonly #tags: Settings['tags'];
  readonly #role: Role;
  readonly #logs: LogGroup;

  constructor(scope: Construct, id: string, { name, logDays, tags }: Settings) {
    super(scope, id);
    this.#tags = tags;
    this.stepsName = `${name}-steps`;
    // No name has two hyphens in a row: the machines of `flows` are none of `flows-2`, nor the other way round.
    this.prefix = `${name}--`;
    // Beneath this name a log group costs no place in the account's one policy for log delivery.
    const logGroupName = `/aws/vendedlogs/states/${name}`;
    this.#logs = new LogGroup(this, 'Logs', { logGroupName, retention: logDays, removalPolicy: RemovalPolicy.DESTROY });
    this.#role = this.#machineRole();
  }

  /** Where functions find what machines need. */
  get environment(): Record<string, string> {
    return {
      WEFT_STEPS: this.#stepsArn,
      WEFT_MACHINE_ROLE: this.#role.roleArn,
      WEFT_MACHINE_LOGS: this.#logs.logGroupArn,
      WEFT_PREFIX: this.prefix,
      ...(this.#isTagged ? { WEFT_TAGS: JSON.stringify(this.#tags) } : {}),
    };
  }

  /** How the ARN of every machine begins. */
  get arnPrefix(): string {
    return this.#arn('stateMachine', this.prefix);
  }

  /** Lets a role define machines, start and stop their executions, and answer their waiting tasks. */
  grant(role: IRole): void {
    const machines = this.#arn('stateMachine', `${this.prefix}*`);
    const executions = this.#arn('execution', `${this.prefix}*`);
    const define = ['CreateStateMachine', 'DescribeStateMachine', 'PublishStateMachineVersion', 'UpdateStateMachine'];
    allow(role, 'states', [...define, 'StartExecution', 'SendTaskFailure', 'SendTaskSuccess'], [machines]);
    if (this.#isTagged) allow(role, 'states', ['TagResource'], [machines]);
    allow(role, 'states', ['StopExecution'], [executions]);
    role.addToPrincipalPolicy(
      new PolicyStatement({
        actions: ['iam:PassRole'],
        resources: [this.#role.roleArn],
        conditions: { StringEquals: { 'iam:PassedToService': STATES } },
      }),
    );
    const reason = 'Machines are made while the service runs; all of them carry its name in front.';
    acknowledge(role, {
      [`IAM5[Resource::${shown(this.prefix, 'stateMachine')}]`]: reason,
      [`IAM5[Resource::${shown(this.prefix, 'execution')}]`]: reason,
    });
  }

  /** Lets a role find and delete the machines. */
  grantRemoval(role: IRole): void {
    allow(role, 'states', ['DeleteStateMachine'], [this.#arn('stateMachine', `${this.prefix}*`)]);
    allow(role, 'states', ['ListStateMachines'], ['*']);
    acknowledge(role, {
      'IAM5[Resource::*]': 'Machines are listed all or none.',
      [`IAM5[Resource::${shown(this.prefix, 'stateMachine')}]`]: 'Machines are made while the service runs.',
    });
  }

  get #isTagged(): boolean {
    return Object.keys(this.#tags).length > 0;
  }

  get #stepsArn(): string {
    return Stack.of(this).formatArn({
      service: 'lambda',
      resource: 'function',
      resourceName: this.stepsName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  }

  #arn(resource: string, resourceName: string): string {
    const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
    return Stack.of(this).formatArn({ service: 'states', resource, resourceName, arnFormat });
  }

  #machineRole(): Role {
    const machines = this.#arn('stateMachine', `${this.prefix}*`);
    const assumedBy = new ServicePrincipal(STATES, {
      conditions: {
        StringEquals: { 'aws:SourceAccount': Stack.of(this).account },
        ArnLike: { 'aws:SourceArn': machines },
      },
    });
    const role = new Role(this, 'Role', { assumedBy, description: 'What state machines of workflows run as' });
    allow(role, 'lambda', ['InvokeFunction'], [this.#stepsArn]);
    allow(role, 'logs', LOG_DELIVERY, ['*']);
    acknowledge(role, { 'IAM5[Resource::*]': 'The actions of log delivery know no resources.' });
    return role;
  }
}

/** An ARN as the security rules print it. */
const shown = (prefix: string, resource: string): string =>
  `arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:${resource}:${prefix}*`;
