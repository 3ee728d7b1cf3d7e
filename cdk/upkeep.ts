import { Duration } from 'aws-cdk-lib';
import { Match, Rule, type RuleProps, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledgements.ts';
import type { WeftFunction } from './function.ts';
import type { Functions } from './functions.ts';
import type { Machines } from './machines.ts';
import { allow } from './rights.ts';

/** The ends of which a run learns only in this way; the last step of a run that succeeds says so itself. */
const NOT_BY_A_STEP = ['FAILED', 'TIMED_OUT', 'ABORTED'];

/** How long somebody has to look at what went wrong: the longest that a queue keeps anything. */
const KEPT = Duration.days(14);

/**
 * What happens without a request: runs whose execution ended outside our code are settled (architecture, law 6), and
 * once a day what was cut short is made up for. What fails three times, or does not arrive, waits in a queue.
 */
export class Upkeep extends Construct {
  readonly #failed: Queue;

  constructor(scope: Construct, id: string, functions: Functions, machines: Machines) {
    super(scope, id);
    this.#failed = this.#queue();
    this.#call(functions.inner('lifecycle'), 'Ended', {
      description: 'Executions that ended and did not succeed',
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: { status: NOT_BY_A_STEP, stateMachineArn: Match.prefix(machines.arnPrefix) },
      },
    });
    this.#call(functions.inner('sweep'), 'Daily', {
      description: 'Once a day',
      schedule: Schedule.rate(Duration.days(1)),
    });
  }

  #queue(): Queue {
    const queue = new Queue(this, 'Failed', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: KEPT,
    });
    acknowledge(queue, {
      SQS3: 'It is itself where failed calls end: nothing receives from it that could fail again.',
    });
    return queue;
  }

  /** Lambda tries a call of this kind three times by itself. */
  #call({ handler, role }: WeftFunction, id: string, props: RuleProps): void {
    const { queueArn: destination } = this.#failed;
    allow(role, 'sqs', ['SendMessage'], [destination]);
    handler.configureAsyncInvoke({ onFailure: { bind: () => ({ destination }) } });
    new Rule(this, id, { ...props, targets: [new LambdaFunction(handler, { deadLetterQueue: this.#failed })] });
  }
}
