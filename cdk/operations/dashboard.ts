import { Duration } from 'aws-cdk-lib';
import { Dashboard as CfnDashboard, GraphWidget, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { Monitored } from './alarms.ts';
import { accountMetric, SUM, throttledByTable } from './metrics.ts';

const HALF = 12;
const HEIGHT = 6;

const graph = (title: string, left: readonly IMetric[], right: readonly IMetric[] = []): GraphWidget =>
  new GraphWidget({ title, width: HALF, height: HEIGHT, left: [...left], right: [...right] });

/** A CloudWatch dashboard of the metrics that AWS provides for free. */
export class Dashboard extends Construct {
  constructor(scope: Construct, id: string, { settings, api, functions, deadLetters }: Monitored) {
    super(scope, id);
    const { name } = settings;
    const late = { period: SUM.period, statistic: 'p99' };
    const all = functions.all.map(({ handler, node }) => ({ handler, label: node.id }));
    const ofAll = (metricName: string): IMetric[] =>
      all.map(({ handler, label }) => handler.metric(metricName, { ...SUM, label }));
    const { handler: steps } = functions.trigger('steps');
    new CfnDashboard(this, 'Page', {
      dashboardName: name,
      defaultInterval: Duration.days(1),
      widgets: [
        [
          graph('Requests', [api.metricCount(SUM)], [api.metricLatency(late)]),
          graph('Rejected and failed requests', [api.metricClientError(SUM)], [api.metricServerError(SUM)]),
        ],
        [
          graph('Calls of functions', ofAll('Invocations')),
          graph('Errors of functions (each failed run is an error of steps)', ofAll('Errors'), ofAll('Throttles')),
        ],
        [
          graph('Steps of runs', [steps.metricInvocations(SUM)], [steps.metricDuration(late)]),
          graph('Events of namespaces', [functions.trigger('router').handler.metricInvocations(SUM)]),
        ],
        [
          graph('Dead letters', [
            functions.trigger('failures').handler.metricInvocations({ ...SUM, label: 'stored' }),
            deadLetters.queue.metricApproximateNumberOfMessagesVisible({
              ...late,
              statistic: 'Maximum',
              label: 'in the queue',
            }),
          ]),
          graph('Throttled', Object.values(throttledByTable(settings)), [accountMetric('AWS/Lambda', 'Throttles')]),
        ],
      ],
    });
  }
}
