import { Duration, Stack } from 'aws-cdk-lib';
import {
  type IRule,
  type IRuleTarget,
  Rule,
  type RuleProps,
  type RuleTargetInput,
  Schedule,
} from 'aws-cdk-lib/aws-events';
import { LambdaFunction, SfnStateMachine } from 'aws-cdk-lib/aws-events-targets';
import { type IRole, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { DefinitionBody, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { acknowledge } from '../rights/acknowledge.ts';
import { allow } from '../rights/allow.ts';
import { encryptionKeyOf, grantEncryptionKey } from '../rights/encryption.ts';
import type { Settings } from '../settings/settings.ts';
import type { WeftFunction } from './function.ts';
import { redriveMachine } from './redrive.ts';

/** The longest retention of a queue. */
const RETENTION = Duration.days(14);

/** How long the queue uses a data key: the longest time, because each use of your key has a price. */
const KEY_REUSE = Duration.days(1);

/** The timeout of a function that sets none. */
const DEFAULT_TIMEOUT = Duration.seconds(3);

/**
 * Dead letters: asynchronous calls that exhausted their retries. A call that fails three times goes to a function that
 * stores it for its namespace. A call that cannot be delivered, or a dead letter that cannot be stored, goes to a queue,
 * which a state machine moves to that function once a day.
 */
export class DeadLetters extends Construct {
  /** Undelivered calls, until they are stored. */
  readonly queue: Queue;
  readonly #settings: Settings;
  #keeper: WeftFunction | undefined;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.#settings = settings;
    const encryptionMasterKey = encryptionKeyOf(this, settings);
    this.queue = new Queue(this, 'Queue', {
      ...(encryptionMasterKey === undefined
        ? { encryption: QueueEncryption.SQS_MANAGED }
        : { encryption: QueueEncryption.KMS, encryptionMasterKey, dataKeyReuse: KEY_REUSE }),
      enforceSSL: true,
      retentionPeriod: RETENTION,
    });
    acknowledge(this.queue, {
      SQS3: 'It is itself a dead-letter queue: messages that cannot be stored remain in it.',
    });
  }

  /** The environment variable with the ARN of the queue. */
  get environment(): Record<string, string> {
    return { WEFT_FAILED: this.queue.queueArn };
  }

  /** Allows a role to send messages to the queue. */
  grant(role: IRole): void {
    allow(role, 'sqs', ['SendMessage'], [this.queue.queueArn]);
    grantEncryptionKey(this.#settings, role);
  }

  /** Sets the function that stores dead letters, and a rule that moves the queue to it once a day. */
  deliverTo(keeper: WeftFunction): void {
    this.#keeper = keeper;
    this.grant(keeper.role);
    const { queueArn: destination } = this.queue;
    keeper.called.configureAsyncInvoke({ onFailure: { bind: () => ({ destination }) } });
    const { queueUrl } = this.queue;
    const { functionArn } = keeper.called;
    const { timeout = DEFAULT_TIMEOUT } = keeper.handler;
    const definition = redriveMachine({ queueUrl, functionArn, timeout });
    const machine = new StateMachine(this, 'Emptying', {
      // The names of workflows' machines begin with the installation's name and a hyphen.
      stateMachineName: `${this.#settings.name}_failed`,
      stateMachineType: StateMachineType.EXPRESS,
      definitionBody: DefinitionBody.fromString(Stack.of(this).toJsonString(definition)),
    });
    allow(machine.role, 'sqs', ['ReceiveMessage', 'DeleteMessage'], [this.queue.queueArn]);
    grantEncryptionKey(this.#settings, machine.role);
    allow(machine.role, 'lambda', ['InvokeFunction'], [functionArn]);
    acknowledge(machine, {
      SF1: 'Its log would contain events of users; messages that cannot be stored remain in the queue.',
      SF2: 'It uses one queue and one function, once a day: there is nothing to trace.',
    });
    const description = 'Once a day: undelivered calls';
    new Rule(this, 'Daily', {
      description,
      schedule: Schedule.rate(Duration.days(1)),
      targets: [new SfnStateMachine(machine)],
    });
  }

  /** Stores the asynchronous calls of a function that fail in all three attempts of Lambda. */
  catchFailuresOf({ called, role }: WeftFunction): void {
    if (this.#keeper === undefined) throw new Error('set the function that stores dead letters first');
    const { functionArn: destination } = this.#keeper.called;
    allow(role, 'lambda', ['InvokeFunction'], [destination]);
    called.configureAsyncInvoke({ onFailure: { bind: () => ({ destination }) } });
  }

  /** A rule that calls a function. Undelivered calls go to the queue. */
  addRule(scope: Construct, id: string, { calls, input, ...props }: CallingRuleProps): Rule {
    const target = new LambdaFunction(calls.called, { deadLetterQueue: this.queue, ...(input && { event: input }) });
    return new Rule(scope, id, { ...props, targets: [target] });
  }

  /** The target of a rule by its ARN. Undelivered events go to the queue. */
  ruleTarget(arn: string, role?: IRole): IRuleTarget {
    const deadLetterConfig = { arn: this.queue.queueArn };
    return {
      bind: ({ ruleArn }: IRule) => {
        this.queue.addToResourcePolicy(
          new PolicyStatement({
            actions: ['sqs:SendMessage'],
            resources: [this.queue.queueArn],
            principals: [new ServicePrincipal('events.amazonaws.com')],
            conditions: { ArnEquals: { 'aws:SourceArn': ruleArn } },
          }),
        );
        return { arn, deadLetterConfig, ...(role && { role }) };
      },
    };
  }
}

export interface CallingRuleProps extends RuleProps {
  readonly calls: WeftFunction;
  /** The input of the function, if it is not the event. */
  readonly input?: RuleTargetInput;
}
