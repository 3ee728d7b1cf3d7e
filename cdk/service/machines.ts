import { ArnFormat, Fn, Stack } from 'aws-cdk-lib';
import { type IRole, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { liveArn } from '../functions/live.ts';
import { newLogGroup } from '../functions/log-group.ts';
import { acknowledge } from '../rights/acknowledge.ts';
import { allow } from '../rights/allow.ts';
import type { Settings } from '../settings/settings.ts';
import { grantLambdas } from './lambdas.ts';

const STATES = 'states.amazonaws.com';

/** The rights that the role of a machine needs for logging. */
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

/** Defines machines; the oldest versions are deleted when there are as many as Step Functions allows. */
const DEFINE = [
  'CreateStateMachine',
  'DeleteStateMachineVersion',
  'DescribeStateMachine',
  'ListStateMachineVersions',
  'PublishStateMachineVersion',
  'UpdateStateMachine',
];

/** The resources of the machines of workflows, which are created at run time: role, log group, steps function. */
export class Machines extends Construct {
  /** The name of the steps function. It is fixed, because the function needs its own ARN. */
  readonly stepsName: string;
  /** The prefix of the names of machines. */
  readonly prefix: string;
  readonly #tags: Settings['tags'];
  readonly #role: Role;
  readonly #logs: LogGroup;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const { name, tags, lambdas } = settings;
    this.#tags = tags;
    this.stepsName = `${name}-steps`;
    // No name of an installation contains a double hyphen, so that the prefixes of `flows` and `flows-2` do not overlap.
    this.prefix = `${name}--`;
    // Log groups with this prefix need no entry in the account's policy for log delivery, whose size is limited.
    this.#logs = newLogGroup(this, 'Logs', settings, `/aws/vendedlogs/states/${name}`);
    this.#role = this.#machineRole();
    grantLambdas({ lambdas }, this.#role);
  }

  /** The environment variables for the executions adapter. */
  get environment(): Record<string, string> {
    return {
      WEFT_STEPS: this.stepsArn,
      WEFT_MACHINE_ROLE: this.#role.roleArn,
      WEFT_MACHINE_LOGS: this.#logs.logGroupArn,
      WEFT_PREFIX: `${this.prefix}${this.#epoch}-`,
      ...(this.#isTagged ? { WEFT_TAGS: JSON.stringify(this.#tags) } : {}),
    };
  }

  /**
   * Eight characters of the stack's id. Each creation of a stack gives it a new id. A machine that is still being
   * deleted blocks its name, and a machine that is created again numbers its versions from 1: names of another stack
   * avoid both.
   */
  get #epoch(): string {
    return Fn.select(0, Fn.split('-', Fn.select(2, Fn.split('/', Stack.of(this).stackId))));
  }

  /** The prefix of the ARNs of machines. */
  get arnPrefix(): string {
    return this.#arn('stateMachine', this.prefix);
  }

  /** Allows a role to define machines, to start and stop executions, and to complete waiting tasks. */
  grant(role: IRole): void {
    const machines = this.#arn('stateMachine', `${this.prefix}*`);
    const executions = this.#arn('execution', `${this.prefix}*`);
    allow(role, 'states', [...DEFINE, 'StartExecution', 'SendTaskFailure', 'SendTaskSuccess'], [machines]);
    if (this.#isTagged) allow(role, 'states', ['TagResource'], [machines]);
    allow(role, 'states', ['DescribeExecution', 'StopExecution'], [executions]);
    role.addToPrincipalPolicy(
      new PolicyStatement({
        actions: ['iam:PassRole'],
        resources: [this.#role.roleArn],
        conditions: { StringEquals: { 'iam:PassedToService': STATES } },
      }),
    );
    const reason = 'Machines are created at run time; all of them have this prefix.';
    acknowledge(role, {
      [`IAM5[Resource::${shown(this.prefix, 'stateMachine')}]`]: reason,
      [`IAM5[Resource::${shown(this.prefix, 'execution')}]`]: reason,
    });
  }

  /** Allows a role that `grant` was called for to delete the machines of deleted workflows. */
  grantDeletion(role: IRole): void {
    allow(role, 'states', ['DeleteStateMachine'], [this.#arn('stateMachine', `${this.prefix}*`)]);
  }

  /** Allows a role to find the machines, stop their executions, and delete them. */
  grantRemoval(role: IRole): void {
    this.grantDeletion(role);
    allow(role, 'states', ['ListExecutions'], [this.#arn('stateMachine', `${this.prefix}*`)]);
    allow(role, 'states', ['StopExecution'], [this.#arn('execution', `${this.prefix}*`)]);
    allow(role, 'states', ['ListStateMachines'], ['*']);
    acknowledge(role, {
      'IAM5[Resource::*]': 'The right to list machines has no resources.',
      [`IAM5[Resource::${shown(this.prefix, 'stateMachine')}]`]: 'Machines are created at run time.',
      [`IAM5[Resource::${shown(this.prefix, 'execution')}]`]: 'Machines are created at run time.',
    });
  }

  get #isTagged(): boolean {
    return Object.keys(this.#tags).length > 0;
  }

  /** The ARN of the alias of the steps function. */
  get stepsArn(): string {
    const functionArn = Stack.of(this).formatArn({
      service: 'lambda',
      resource: 'function',
      resourceName: this.stepsName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    return liveArn(functionArn);
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
    const role = new Role(this, 'Role', { assumedBy, description: 'Role of the state machines of workflows' });
    allow(role, 'lambda', ['InvokeFunction'], [this.stepsArn]);
    allow(role, 'logs', LOG_DELIVERY, ['*']);
    acknowledge(role, { 'IAM5[Resource::*]': 'The actions of log delivery have no resources.' });
    return role;
  }
}

/** An ARN in the form of the security rules. */
const shown = (prefix: string, resource: string): string =>
  `arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:${resource}:${prefix}*`;
