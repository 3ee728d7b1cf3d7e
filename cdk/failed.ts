import { Duration } from 'aws-cdk-lib';
import { type IRule, type IRuleTarget, Rule, type RuleProps, type RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { type IRole, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledgements.ts';
import type { WeftFunction } from './function.ts';
import { allow } from './rights.ts';

/** How long somebody has to look at what went wrong: the longest that a queue keeps anything. */
const KEPT = Duration.days(14);

/** The queue in which calls end that nobody waits for, when they fail three times or do not arrive. */
export class Failed extends Construct {
  readonly #queue: Queue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.#queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: KEPT,
    });
    acknowledge(this.#queue, {
      SQS3: 'It is itself where failed calls end: nothing receives from it that could fail again.',
    });
  }

  /** Where functions find the queue, to name it to others. */
  get environment(): Record<string, string> {
    return { WEFT_FAILED: this.#queue.queueArn };
  }

  /** Lets a role put into the queue what did not arrive. */
  grant(role: IRole): void {
    allow(role, 'sqs', ['SendMessage'], [this.#queue.queueArn]);
  }

  /** What the function throws out of a call that nobody waits for ends here, after the three tries of Lambda. */
  catch({ handler, role }: WeftFunction): void {
    const { queueArn: destination } = this.#queue;
    this.grant(role);
    handler.configureAsyncInvoke({ onFailure: { bind: () => ({ destination }) } });
  }

  /** A rule that calls a function; a call that does not arrive ends here. */
  rule(scope: Construct, id: string, { calls, input, ...props }: CallingRuleProps): Rule {
    const target = new LambdaFunction(calls.handler, { deadLetterQueue: this.#queue, ...(input && { event: input }) });
    return new Rule(scope, id, { ...props, targets: [target] });
  }

  /** A target that is known by its ARN; what does not arrive there ends here. */
  target(arn: string, role?: IRole): IRuleTarget {
    const deadLetterConfig = { arn: this.#queue.queueArn };
    return {
      bind: ({ ruleArn }: IRule) => {
        this.#queue.addToResourcePolicy(
          new PolicyStatement({
            actions: ['sqs:SendMessage'],
            resources: [this.#queue.queueArn],
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
