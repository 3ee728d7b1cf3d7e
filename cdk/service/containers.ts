import { ArnFormat, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Repository, TagMutability, TagStatus } from 'aws-cdk-lib/aws-ecr';
import { type IRole, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { DefinitionBody, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { liveArn } from '../functions/live.ts';
import { newLogGroup } from '../functions/log-group.ts';
import { acknowledge } from '../rights/acknowledge.ts';
import { allow } from '../rights/allow.ts';
import type { Settings } from '../settings/settings.ts';

const LAMBDA = 'lambda.amazonaws.com';

const call = (functionArn: string, payload: string) => ({
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke',
  Arguments: { FunctionName: functionArn, Payload: payload },
  Output: '{% $states.result.Payload %}',
  // In total about ten minutes.
  Retry: [
    {
      ErrorEquals: ['States.ALL'],
      IntervalSeconds: 3,
      BackoffRate: 2,
      MaxDelaySeconds: 120,
      MaxAttempts: 10,
      JitterStrategy: 'FULL',
    },
  ],
});

/** A state machine that calls the worker until its work is done; lib/adapters/aws/containers starts it with `{id, turn}`. */
export const machineOf = (functionArn: string) => ({
  Comment: 'Prepares or removes a container service',
  QueryLanguage: 'JSONata',
  StartAt: 'Work',
  TimeoutSeconds: 86_400,
  States: {
    Work: {
      ...call(functionArn, '{% $states.input %}'),
      Catch: [
        {
          ErrorEquals: ['States.ALL'],
          Output: {
            id: '{% $states.input.id %}',
            turn: '{% $states.input.turn %}',
            problem: "{% $substring($states.errorOutput.Error & ': ' & $states.errorOutput.Cause, 0, 1000) %}",
          },
          Next: 'Give up',
        },
      ],
      Next: 'Ready?',
    },
    'Ready?': {
      Type: 'Choice',
      Choices: [{ Condition: '{% $exists($states.input.seconds) %}', Next: 'Wait' }],
      Default: 'End',
    },
    Wait: { Type: 'Wait', Seconds: '{% $states.input.seconds %}', Next: 'Work' },
    'Give up': { ...call(functionArn, '{% $states.input %}'), Next: 'End' },
    End: { Type: 'Succeed' },
  },
});

/** The rights of Lambda to pull an image, and those of the worker to push one. */
const PULL = ['BatchGetImage', 'GetDownloadUrlForLayer'];
const PUSH = [
  'BatchCheckLayerAvailability',
  'BatchDeleteImage',
  'CompleteLayerUpload',
  'InitiateLayerUpload',
  'PutImage',
  'UploadLayerPart',
];
const MAKE = [
  'CreateFunction',
  'DeleteFunction',
  'GetFunction',
  'GetFunctionConfiguration',
  'GetProvisionedConcurrencyConfig',
  'PublishVersion',
  'PutProvisionedConcurrencyConfig',
  'UpdateFunctionCode',
];

/**
 * Container services (docs/decisions/029): a repository for their images, a role for their functions that may only log,
 * and the state machine that prepares them. Without container services, this costs nothing.
 */
export class Containers extends Construct {
  /** The name of the function that the machine calls. It is fixed, because function and machine refer to each other. */
  readonly workerName: string;
  /** The prefix of the names of all container functions. */
  readonly prefix: string;
  readonly #machineName: string;
  readonly #repository: Repository;
  readonly #role: Role;
  readonly #logs: LogGroup;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const { name } = settings;
    this.workerName = `${name}-containers`;
    // No name of an installation contains a double hyphen.
    this.prefix = `${name}--container-`;
    // The names of workflows' machines begin with the installation's name and a hyphen.
    this.#machineName = `${name}_containers`;
    this.#repository = this.#makeRepository(settings);
    this.#logs = newLogGroup(this, 'Logs', settings, `/aws/lambda/${name}-container-services`);
    this.#role = this.#makeRole(settings);
    this.#makeMachine();
  }

  /** The environment variables for the container adapter. */
  get environment(): Record<string, string> {
    return {
      WEFT_CONTAINER_MACHINE: this.#arn('states', 'stateMachine', this.#machineName),
      WEFT_CONTAINER_REPOSITORY: this.#repository.repositoryUri,
      WEFT_CONTAINER_ROLE: this.#role.roleArn,
      WEFT_CONTAINER_LOGS: this.#logs.logGroupName,
      WEFT_CONTAINER_PREFIX: this.prefix,
    };
  }

  /** Allows a role to start the preparation and the removal of containers. */
  grant(role: IRole): void {
    allow(role, 'states', ['StartExecution'], [this.#arn('states', 'stateMachine', this.#machineName)]);
  }

  /** Allows a role to call containers. Messages during a call go through the bucket of blobs. */
  grantCalls(role: IRole): void {
    allow(role, 'lambda', ['InvokeFunction'], [`${this.#functions}:*`]);
    acknowledge(role, this.#made(':*'));
  }

  /** Allows the role of the worker to prepare and remove containers. */
  grantWork(role: IRole): void {
    allow(role, 'lambda', MAKE, [this.#functions, `${this.#functions}:*`]);
    allow(role, 'ecr', [...PULL, ...PUSH], [this.#repository.repositoryArn]);
    allow(role, 'ecr', ['GetAuthorizationToken'], ['*']);
    role.addToPrincipalPolicy(
      new PolicyStatement({
        actions: ['iam:PassRole'],
        resources: [this.#role.roleArn],
        conditions: { StringEquals: { 'iam:PassedToService': LAMBDA } },
      }),
    );
    acknowledge(role, {
      ...this.#made(''),
      ...this.#made(':*'),
      'IAM5[Resource::*]': 'The authorization token has no resources; it permits only what is allowed otherwise.',
    });
  }

  /** Allows a role to find and delete the functions. */
  grantRemoval(role: IRole): void {
    allow(role, 'lambda', ['DeleteFunction'], [this.#functions]);
    allow(role, 'lambda', ['ListFunctions'], ['*']);
    acknowledge(role, { ...this.#made(''), 'IAM5[Resource::*]': 'The right to list functions has no resources.' });
  }

  get #functions(): string {
    return this.#arn('lambda', 'function', `${this.prefix}*`);
  }

  #made(end: string): Record<string, string> {
    const arn = `arn:<AWS::Partition>:lambda:<AWS::Region>:<AWS::AccountId>:function:${this.prefix}*${end}`;
    return { [`IAM5[Resource::${arn}]`]: 'Container functions are created at run time, with this prefix.' };
  }

  #arn(service: string, resource: string, resourceName: string): string {
    const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
    return Stack.of(this).formatArn({ service, resource, resourceName, arnFormat });
  }

  /** Each revision has a tag, and an image is deleted with its last tag. Layers of aborted copies expire. */
  #makeRepository({ name }: Settings): Repository {
    const repository = new Repository(this, 'Images', {
      repositoryName: `${name}-containers`,
      imageTagMutability: TagMutability.MUTABLE,
      lifecycleRules: [{ tagStatus: TagStatus.UNTAGGED, maxImageAge: Duration.days(1) }],
      // All images can be copied again.
      removalPolicy: RemovalPolicy.DESTROY,
      emptyOnDelete: true,
    });
    repository.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal(LAMBDA)],
        actions: PULL.map((action) => `ecr:${action}`),
        conditions: {
          StringEquals: { 'aws:SourceAccount': Stack.of(this).account },
          ArnLike: { 'aws:SourceArn': this.#functions },
        },
      }),
    );
    return repository;
  }

  #makeRole({ name }: Settings): Role {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal(LAMBDA),
      path: `/${name}-containers/`,
      description: 'Role of container services: it may only write their log',
    });
    this.#logs.grantWrite(role);
    return role;
  }

  #makeMachine(): void {
    const workerArn = liveArn(this.#arn('lambda', 'function', this.workerName));
    const machine = new StateMachine(this, 'Machine', {
      stateMachineName: this.#machineName,
      comment: 'Prepares and removes container services',
      definitionBody: DefinitionBody.fromString(JSON.stringify(machineOf(workerArn))),
    });
    allow(machine.role, 'lambda', ['InvokeFunction'], [workerArn]);
    acknowledge(machine, {
      SF1: 'Its work is recorded in the conditions of each service, and in the log of its function.',
      SF2: 'It calls one function repeatedly: there is nothing to trace.',
    });
  }
}
