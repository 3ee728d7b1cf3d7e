import { Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FilterPattern, type IFilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { DeadLetters } from '../functions/dead-letters.ts';
import type { Functions } from '../functions/functions.ts';
import { isMailAddress } from '../settings/readers.ts';
import type { Settings } from '../settings/settings.ts';
import { accountMetric, PERIOD, SUM, throttledByTable } from './metrics.ts';

/** The monitored parts of an installation. */
export interface Monitored {
  readonly settings: Settings;
  readonly api: RestApi;
  readonly functions: Functions;
  readonly deadLetters: DeadLetters;
  /** The access log, with a line for each request. */
  readonly requests: ILogGroup;
}

/**
 * The log line of a fault of the service (lib/api/fault-log.ts). Neither HTTP statuses nor errors of functions show a fault:
 * the status of some mistakes of users is 500, and the step of a failed run ends with an error.
 */
const FAULT = FilterPattern.all(
  FilterPattern.stringValue('$.level', '=', 'ERROR'),
  FilterPattern.stringValue('$.message', '=', 'a fault of the service'),
);

/** Requests whose function crashed or timed out. */
const CUT_OFF = FilterPattern.any(
  FilterPattern.stringValue('$.status', '=', '502'),
  FilterPattern.stringValue('$.status', '=', '504'),
);

/**
 * Alarms for problems that no reply shows, and for problems that delay users. There are as few as possible, because
 * each alarm has a monthly price (lib/pricing/prices.ts).
 */
export class Alarms extends Construct {
  readonly #topic: ITopic;
  readonly #name: string;
  /** Alarms that the code of a version can cause; the others are about quotas of the account. */
  readonly ofCode: readonly Alarm[];

  /** The recipient is a mail address or the ARN of a topic. */
  constructor(scope: Construct, id: string, monitored: Monitored, recipient: string) {
    super(scope, id);
    this.#name = monitored.settings.name;
    this.#topic = isMailAddress(recipient) ? this.#mailTopic(recipient) : Topic.fromTopicArn(this, 'Topic', recipient);
    const { functions, deadLetters, settings } = monitored;
    const faults = this.#raise(
      'Faults',
      'requests or runs failed with a fault of the service; see the logs',
      this.#faultMetric(monitored),
    );
    const failures = functions.trigger('failures').handler;
    const deliveries = this.#raise(
      'Deliveries',
      'calls exhausted their retries; see the failed deliveries',
      failures.metricInvocations(SUM),
    );
    this.ofCode = [faults, deliveries];
    const waiting = deadLetters.queue.metricApproximateNumberOfMessagesVisible({
      period: PERIOD,
      statistic: 'Maximum',
    });
    this.#raise('Undelivered', 'undelivered events are in the dead-letter queue', waiting);
    this.#raise('Functions', 'function calls in the account were throttled', accountMetric('AWS/Lambda', 'Throttles'));
    const transitions = accountMetric('AWS/States', 'ThrottledEvents', { ServiceMetric: 'StateTransition' });
    this.#raise('Transitions', 'state machine transitions in the account were throttled', transitions);
    const usingMetrics = throttledByTable(settings);
    const expression = Object.keys(usingMetrics).join(' + ');
    const tables = new MathExpression({ expression, usingMetrics, period: PERIOD, label: 'throttled' });
    this.#raise('Tables', 'reads or writes of the tables were throttled', tables);
  }

  #mailTopic(address: string): Topic {
    const topic = new Topic(this, 'Topic', { displayName: `Alarms of ${this.#name}`, enforceSSL: true });
    topic.addSubscription(new EmailSubscription(address));
    topic.grantPublish(
      new ServicePrincipal('cloudwatch.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    return topic;
  }

  /** One metric for all logs, because each metric has a price. */
  #faultMetric({ functions, requests }: Monitored): Metric {
    const metricName = 'Faults';
    const metricNamespace = `Weft/${this.#name}`;
    const count = (id: string, logGroup: ILogGroup, filterPattern: IFilterPattern) =>
      new MetricFilter(this, id, { logGroup, filterPattern, metricNamespace, metricName, metricValue: '1' });
    for (const { node, logs } of functions.all) count(`In-${node.id}`, logs, FAULT);
    count('In-requests', requests, CUT_OFF);
    return new Metric({ namespace: metricNamespace, metricName, ...SUM });
  }

  #raise(id: string, condition: string, metric: IMetric): Alarm {
    const alarm = new Alarm(this, id, {
      alarmName: `${this.#name}-${id.toLowerCase()}`,
      alarmDescription: `${this.#name}: within ${PERIOD.toMinutes()} minutes, ${condition}`,
      metric,
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.#topic));
    return alarm;
  }
}
