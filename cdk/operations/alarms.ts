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
import type { Failed } from '../functions/failed.ts';
import type { Functions } from '../functions/functions.ts';
import type { Settings } from '../settings/settings.ts';
import { isMailAddress } from '../settings/values.ts';
import { ofAccount, ofTables, PERIOD, SUM } from './measures.ts';

/** What can be watched of an installation. */
export interface Watched {
  readonly settings: Settings;
  readonly api: RestApi;
  readonly functions: Functions;
  readonly failed: Failed;
  /** The log with a line for each request. */
  readonly requests: ILogGroup;
}

/**
 * What the functions write of a fault of ours (lib/api/fault-log.ts). Neither statuses nor errors of functions tell it: some
 * mistakes of users are answered with 500, and a run that fails ends its step with an error.
 */
const FAULT = FilterPattern.all(
  FilterPattern.stringValue('$.level', '=', 'ERROR'),
  FilterPattern.stringValue('$.message', '=', 'a fault of the service'),
);

/** Requests whose function died or was too slow to say anything. */
const CUT_OFF = FilterPattern.any(
  FilterPattern.stringValue('$.status', '=', '502'),
  FilterPattern.stringValue('$.status', '=', '504'),
);

/**
 * Tells somebody when something goes wrong of which no user is told, or that keeps users waiting. As few alarms as say
 * all of it, because each is paid for by the month (bin/cli/costs/prices.ts).
 */
export class Alarms extends Construct {
  readonly #topic: ITopic;
  readonly #name: string;

  /** `told` is a mail address or the ARN of a topic. */
  constructor(scope: Construct, id: string, watched: Watched, told: string) {
    super(scope, id);
    this.#name = watched.settings.name;
    this.#topic = isMailAddress(told) ? this.#mailing(told) : Topic.fromTopicArn(this, 'Topic', told);
    const { functions, failed, settings } = watched;
    this.#raise('Faults', 'requests or runs met a fault of the service: see the logs', this.#faultsOf(watched));
    const failures = functions.trigger('failures').handler;
    this.#raise('Deliveries', 'calls failed for good: see the failed deliveries', failures.metricInvocations(SUM));
    const waiting = failed.queue.metricApproximateNumberOfMessagesVisible({ period: PERIOD, statistic: 'Maximum' });
    this.#raise('Undelivered', 'events did not arrive and wait in the queue', waiting);
    this.#raise('Functions', 'calls of functions of the account were throttled', ofAccount('AWS/Lambda', 'Throttles'));
    const transitions = ofAccount('AWS/States', 'ThrottledEvents', { ServiceMetric: 'StateTransition' });
    this.#raise('Transitions', 'state machines of the account were slowed down', transitions);
    const usingMetrics = ofTables(settings);
    const expression = Object.keys(usingMetrics).join(' + ');
    const tables = new MathExpression({ expression, usingMetrics, period: PERIOD, label: 'throttled' });
    this.#raise('Tables', 'reads or writes of tables were throttled', tables);
  }

  #mailing(address: string): Topic {
    const topic = new Topic(this, 'Topic', { displayName: `Alarms of ${this.#name}`, enforceSSL: true });
    topic.addSubscription(new EmailSubscription(address));
    topic.grantPublish(
      new ServicePrincipal('cloudwatch.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    return topic;
  }

  /** One metric, of all logs: each more would be paid for. */
  #faultsOf({ functions, requests }: Watched): Metric {
    const metricName = 'Faults';
    const metricNamespace = `Weft/${this.#name}`;
    const count = (id: string, logGroup: ILogGroup, filterPattern: IFilterPattern) =>
      new MetricFilter(this, id, { logGroup, filterPattern, metricNamespace, metricName, metricValue: '1' });
    for (const { node, logs } of functions.all) count(`In-${node.id}`, logs, FAULT);
    count('In-requests', requests, CUT_OFF);
    return new Metric({ namespace: metricNamespace, metricName, ...SUM });
  }

  #raise(id: string, what: string, metric: IMetric): void {
    const alarm = new Alarm(this, id, {
      alarmName: `${this.#name}-${id.toLowerCase()}`,
      alarmDescription: `${this.#name}: within ${PERIOD.toMinutes()} minutes, ${what}`,
      metric,
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.#topic));
  }
}
