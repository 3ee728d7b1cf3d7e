import { Duration, Stack } from 'aws-cdk-lib';
import { Match, Schedule } from 'aws-cdk-lib/aws-events';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { DeadLetters } from '../functions/dead-letters.ts';
import type { Functions } from '../functions/functions.ts';
import { acknowledge } from '../rights/acknowledge.ts';
import { allow } from '../rights/allow.ts';
import type { Machines } from '../service/machines.ts';
import type { Settings } from '../settings/settings.ts';

/** The final statuses that no step records: the last step of a successful run records its end itself. */
const RECORDED_BY_RULE = ['FAILED', 'TIMED_OUT', 'ABORTED'];

/** The statuses of a stack after a deployment. */
const DEPLOYED = ['CREATE_COMPLETE', 'UPDATE_COMPLETE'];

/** The interval of the search for interrupted work. */
const RECONCILED = Duration.minutes(15);

export interface UpkeepProps {
  readonly settings: Settings;
  readonly functions: Functions;
  readonly machines: Machines;
  readonly deadLetters: DeadLetters;
}

/** Half of the calls that the account allows may be requests that wait. */
function grantAccountSettings(role: IRole): void {
  allow(role, 'lambda', ['GetAccountSettings'], ['*']);
  acknowledge(role, { 'IAM5[Resource::*]': 'The right to read the quotas of the account has no resources.' });
}

/**
 * Work without requests: ends runs whose execution failed, timed out or was aborted, and compares the promises of the
 * tables with the existing runs, events and schedules.
 */
export class Upkeep extends Construct {
  constructor(scope: Construct, id: string, { settings, functions, machines, deadLetters }: UpkeepProps) {
    super(scope, id);
    const [lifecycle, sweep] = [functions.trigger('lifecycle'), functions.trigger('sweep')];
    if (settings.maxWaitingRequests === undefined) grantAccountSettings(sweep.role);
    for (const called of [lifecycle, sweep]) deadLetters.catchFailuresOf(called);
    deadLetters.addRule(this, 'Ended', {
      calls: lifecycle,
      description: 'Executions that failed, timed out or were aborted',
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: { status: RECORDED_BY_RULE, stateMachineArn: Match.prefix(machines.arnPrefix) },
      },
    });
    deadLetters.addRule(this, 'Often', {
      calls: sweep,
      description: 'Every 15 minutes and after each deployment: the reconciler and the sweep',
      schedule: Schedule.rate(RECONCILED),
      eventPattern: {
        source: ['aws.cloudformation'],
        detailType: ['CloudFormation Stack Status Change'],
        detail: { 'stack-id': [Stack.of(this).stackId], 'status-details': { status: DEPLOYED } },
      },
    });
  }
}
