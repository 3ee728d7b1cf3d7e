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
import { acknowledge } from '../rights/acknowledgements.ts';
import { allow } from '../rights/rights.ts';
import type { Settings } from '../settings/settings.ts';
import type { WeftFunction } from './function.ts';

/** How long somebody has to look at what went wrong: the longest that a queue keeps anything. */
const KEPT = Duration.days(14);

/** Empties the queue: each message goes to the function that keeps what failed. */
const emptyingOf = (queue: Queue, { handler }: WeftFunction) => ({
  Comment: 'Takes what did not arrive out of the queue, to where its namespace lists it',
  QueryLanguage: 'JSONata',
  StartAt: 'Receive',
  States: {
    Receive: {
      Type: 'Task',
      Resource: 'arn:aws:states:::aws-sdk:sqs:receiveMessage',
      Arguments: {
        QueueUrl: queue.queueUrl,
        // One may be as large as a state's data may be.
        MaxNumberOfMessages: 1,
        // Asks all servers of the queue, not some.
        WaitTimeSeconds: 1,
        VisibilityTimeout: 600,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['SentTimestamp'],
      },
      Next: 'Any',
    },
    Any: {
      Type: 'Choice',
      Choices: [{ Condition: '{% $count($states.input.Messages) > 0 %}', Next: 'Keep' }],
      Default: 'Done',
    },
    Keep: {
      Type: 'Task',
      Resource: 'arn:aws:states:::lambda:invoke',
      Arguments: { FunctionName: handler.functionArn, Payload: '{% $states.input %}' },
      Output: '{% $states.input %}',
      Next: 'Forget',
    },
    Forget: {
      Type: 'Task',
      Resource: 'arn:aws:states:::aws-sdk:sqs:deleteMessage',
      Arguments: { QueueUrl: queue.queueUrl, ReceiptHandle: '{% $states.input.Messages[0].ReceiptHandle %}' },
      Next: 'Receive',
    },
    Done: { Type: 'Succeed' },
  },
});

/**
 * Where calls end that nobody waits for. One that fails three times goes to a function that keeps it for its namespace;
 * what does not arrive at all, or is not kept, goes into a queue that is emptied to that function once a day.
 */
export class Failed extends Construct {
  /** What did not arrive, until it is kept. */
  readonly queue: Queue;
  readonly #name: string;
  #keeper: WeftFunction | undefined;

  constructor(scope: Construct, id: string, { name }: Settings) {
    super(scope, id);
    this.#name = name;
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: KEPT,
    });
    acknowledge(this.queue, {
      SQS3: 'It is itself where failed calls end: what cannot be taken out of it stays in it.',
    });
  }

  /** Where functions find the queue, to name it to others. */
  get environment(): Record<string, string> {
    return { WEFT_FAILED: this.queue.queueArn };
  }

  /** Lets a role put into the queue what did not arrive. */
  grant(role: IRole): void {
    allow(role, 'sqs', ['SendMessage'], [this.queue.queueArn]);
  }

  /** Names the function that keeps what failed, and has it told of what is in the queue once a day. */
  keepBy(keeper: WeftFunction): void {
    this.#keeper = keeper;
    this.grant(keeper.role);
    const { queueArn: destination } = this.queue;
    keeper.handler.configureAsyncInvoke({ onFailure: { bind: () => ({ destination }) } });
    const machine = new StateMachine(this, 'Emptying', {
      // No name of a workflow's machine: those begin with the installation's name and a hyphen.
      stateMachineName: `${this.#name}_failed`,
      stateMachineType: StateMachineType.EXPRESS,
      definitionBody: DefinitionBody.fromString(Stack.of(this).toJsonString(emptyingOf(this.queue, keeper))),
    });
    allow(machine.role, 'sqs', ['ReceiveMessage', 'DeleteMessage'], [this.queue.queueArn]);
    allow(machine.role, 'lambda', ['InvokeFunction'], [keeper.handler.functionArn]);
    acknowledge(machine, {
      SF1: 'Its log would hold the events of users; what it cannot take out stays in the queue.',
      SF2: 'It calls a queue and a function, once a day: there is nothing to trace.',
    });
    const description = 'Once a day: what did not arrive';
    new Rule(this, 'Daily', {
      description,
      schedule: Schedule.rate(Duration.days(1)),
      targets: [new SfnStateMachine(machine)],
    });
  }

  /** What the function throws out of a call that nobody waits for is kept, after the three tries of Lambda. */
  catch({ handler, role }: WeftFunction): void {
    if (this.#keeper === undefined) throw new Error('name the function that keeps what failed first');
    const { functionArn: destination } = this.#keeper.handler;
    allow(role, 'lambda', ['InvokeFunction'], [destination]);
    handler.configureAsyncInvoke({ onFailure: { bind: () => ({ destination }) } });
  }

  /** A rule that calls a function; a call that does not arrive ends here. */
  rule(scope: Construct, id: string, { calls, input, ...props }: CallingRuleProps): Rule {
    const target = new LambdaFunction(calls.handler, { deadLetterQueue: this.queue, ...(input && { event: input }) });
    return new Rule(scope, id, { ...props, targets: [target] });
  }

  /** A target that is known by its ARN; what does not arrive there ends here. */
  target(arn: string, role?: IRole): IRuleTarget {
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
  /** What the function gets in place of the event. */
  readonly input?: RuleTargetInput;
}
