import { Duration } from 'aws-cdk-lib';

/** The resources that the machine uses: the queue, and the function that stores dead letters. */
export interface RedriveParts {
  readonly queueUrl: string;
  readonly functionArn: string;
  /** The timeout of the function. */
  readonly timeout: Duration;
}

/** The most messages that SQS gives at once. */
const BATCH = 10;

/** Longer than an execution of an EXPRESS machine, 5 minutes: no execution receives such a message twice. */
const ONCE = Duration.minutes(10);

const RETRY = {
  IntervalSeconds: 1,
  BackoffRate: 2,
  MaxAttempts: 3,
  JitterStrategy: 'FULL',
};

/** Faults of the call and not of a message. */
const TRANSIENT = [
  'Lambda.ServiceException',
  'Lambda.AWSLambdaException',
  'Lambda.SdkClientException',
  'Lambda.TooManyRequestsException',
];

/** States.ALL does not match this error: a batch of messages exceeds the 256 KiB of a state's data. */
const TOO_LARGE = 'States.DataLimitExceeded';

/** Continues with single messages; after a batch, when its messages are visible again. */
const split = (hidden: number) => ({
  Assign: { batch: 1, delay: `{% $batch = 1 ? 0 : ${hidden} %}` },
  Next: 'Split',
});

/** Receives messages, which are hidden from other receivers for a time: those of a batch for `hidden` seconds. */
const receive = (QueueUrl: string, hidden: number) => ({
  Type: 'Task',
  Resource: 'arn:aws:states:::aws-sdk:sqs:receiveMessage',
  Arguments: {
    QueueUrl,
    MaxNumberOfMessages: '{% $batch %}',
    // Long polling: all servers of the queue are queried.
    WaitTimeSeconds: 1,
    VisibilityTimeout: `{% $batch = 1 ? ${ONCE.toSeconds()} : ${hidden} %}`,
    MessageAttributeNames: ['All'],
    MessageSystemAttributeNames: ['SentTimestamp'],
  },
  Retry: [{ ErrorEquals: ['States.ALL'], ...RETRY }],
  Catch: [{ ErrorEquals: [TOO_LARGE], ...split(hidden) }],
  Next: 'Any',
});

/** Calls the function with the messages; its output has the entries of the stored ones. */
const keep = (FunctionName: string, hidden: number) => ({
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke',
  Arguments: { FunctionName, Payload: '{% $states.input %}' },
  Output: '{% $states.result.Payload %}',
  Retry: [{ ErrorEquals: TRANSIENT, ...RETRY }],
  Catch: [TOO_LARGE, 'States.ALL'].map((name) => ({ ErrorEquals: [name], ...split(hidden) })),
  Next: 'AnyKept',
});

/**
 * The definition of a state machine that empties the queue. It sends up to 10 messages at once to the function, which
 * returns the entries of the stored messages; only these are deleted. A batch may be too large, or end the function.
 * Then the machine waits until its messages are visible again, and continues with one message at a time: a message that
 * fails stays in the queue for the next execution, and the machine processes the others.
 */
export function redriveMachine({ queueUrl: QueueUrl, functionArn, timeout }: RedriveParts): object {
  // While the function has a batch, no other receiver gets it.
  const hidden = timeout.toSeconds() + 30;
  return {
    Comment: 'Moves dead letters from the queue to the lists of their namespaces',
    QueryLanguage: 'JSONata',
    StartAt: 'Start',
    States: {
      Start: { Type: 'Pass', Assign: { batch: BATCH, delay: 0 }, Next: 'Receive' },
      Receive: receive(QueueUrl, hidden),
      Any: {
        Type: 'Choice',
        Choices: [{ Condition: '{% $count($states.input.Messages) > 0 %}', Next: 'Keep' }],
        Default: 'Done',
      },
      Keep: keep(functionArn, hidden),
      AnyKept: {
        Type: 'Choice',
        Choices: [{ Condition: '{% $count($states.input.Entries) > 0 %}', Next: 'Forget' }],
        Default: 'Receive',
      },
      Forget: {
        Type: 'Task',
        Resource: 'arn:aws:states:::aws-sdk:sqs:deleteMessageBatch',
        Arguments: { QueueUrl, Entries: '{% $states.input.Entries %}' },
        Retry: [{ ErrorEquals: ['States.ALL'], ...RETRY }],
        Next: 'Receive',
      },
      Split: { Type: 'Wait', Seconds: '{% $delay %}', Next: 'Receive' },
      Done: { Type: 'Succeed' },
    },
  };
}
