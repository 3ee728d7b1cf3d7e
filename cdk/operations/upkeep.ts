import { Duration } from 'aws-cdk-lib';
import { Match, Schedule } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import type { Failed } from '../functions/failed.ts';
import type { Functions } from '../functions/functions.ts';
import type { Machines } from '../service/machines.ts';

/** The ends of which a run learns only in this way; the last step of a run that succeeds says so itself. */
const NOT_BY_A_STEP = ['FAILED', 'TIMED_OUT', 'ABORTED'];

/**
 * What happens without a request: runs whose execution ended outside our code are settled (architecture, law 6), and
 * once a day what was cut short is made up for. What fails three times, or does not arrive, waits in a queue.
 */
export class Upkeep extends Construct {
  constructor(scope: Construct, id: string, functions: Functions, machines: Machines, failed: Failed) {
    super(scope, id);
    const [lifecycle, sweep] = [functions.trigger('lifecycle'), functions.trigger('sweep')];
    for (const called of [lifecycle, sweep]) failed.catch(called);
    failed.rule(this, 'Ended', {
      calls: lifecycle,
      description: 'Executions that ended and did not succeed',
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: { status: NOT_BY_A_STEP, stateMachineArn: Match.prefix(machines.arnPrefix) },
      },
    });
    failed.rule(this, 'Daily', { calls: sweep, description: 'Once a day', schedule: Schedule.rate(Duration.days(1)) });
  }
}
