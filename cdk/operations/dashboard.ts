import { Duration } from 'aws-cdk-lib';
import { Dashboard as CfnDashboard, GraphWidget, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { Watched } from './alarms.ts';
import { ofAccount, ofTables, SUM } from './measures.ts';

const HALF = 12;
const HEIGHT = 6;

const graph = (title: string, left: readonly IMetric[], right: readonly IMetric[] = []): GraphWidget =>
  new GraphWidget({ title, width: HALF, height: HEIGHT, left: [...left], right: [...right] });

/** One page in CloudWatch, of metrics that AWS keeps anyway: none of them is paid for. */
export class Dashboard extends Construct {
  constructor(scope: Construct, id: string, { settings, api, functions, failed }: Watched) {
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
          graph('Refused and failed requests', [api.metricClientError(SUM)], [api.metricServerError(SUM)]),
        ],
        [
          graph('Calls of functions', ofAll('Invocations')),
          graph('Errors of functions (a run that fails is one of steps)', ofAll('Errors'), ofAll('Throttles')),
        ],
        [
          graph('Steps of runs', [steps.metricInvocations(SUM)], [steps.metricDuration(late)]),
          graph('Events of namespaces', [functions.trigger('router').handler.metricInvocations(SUM)]),
        ],
        [
          graph('What failed for good', [
            functions.trigger('failures').handler.metricInvocations({ ...SUM, label: 'calls' }),
            failed.queue.metricApproximateNumberOfMessagesVisible({ ...late, statistic: 'Maximum', label: 'waiting' }),
          ]),
          graph('Throttled', Object.values(ofTables(settings)), [ofAccount('AWS/Lambda', 'Throttles')]),
        ],
      ],
    });
  }
}
