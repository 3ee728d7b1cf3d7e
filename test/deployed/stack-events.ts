import {
  EventBridgeClient,
  ListRulesCommand,
  ListTargetsByRuleCommand,
  TestEventPatternCommand,
} from '@aws-sdk/client-eventbridge';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { CREDENTIALS, REGION } from './deployment.ts';

const ACCOUNT = '000000000000';

/** The event that CloudFormation sends when a stack was deployed. */
const eventOf = (stackId: string): object => ({
  ...{ version: '0', id: '1', account: ACCOUNT, region: REGION, time: new Date().toISOString() },
  source: 'aws.cloudformation',
  'detail-type': 'CloudFormation Stack Status Change',
  resources: [stackId],
  detail: { 'stack-id': stackId, 'status-details': { status: 'UPDATE_COMPLETE' } },
});

/**
 * Calls the targets of the rules that match a deployment of these stacks, as EventBridge does: the emulator sends no such
 * event, and no other process may.
 */
export async function reportDeployment(endpoint: string, stackIds: readonly string[]): Promise<void> {
  const config = { endpoint, region: REGION, credentials: CREDENTIALS };
  const [events, lambda] = [new EventBridgeClient(config), new LambdaClient(config)];
  const { Rules = [] } = await events.send(new ListRulesCommand({}));
  let calls = 0;
  for (const event of stackIds.map(eventOf).map((one) => JSON.stringify(one))) {
    for (const { Name, EventPattern } of Rules) {
      if (!EventPattern) continue;
      const { Result } = await events.send(new TestEventPatternCommand({ EventPattern, Event: event }));
      const { Targets = [] } = Result ? await events.send(new ListTargetsByRuleCommand({ Rule: Name })) : {};
      for (const { Arn } of Targets) {
        const Payload = Buffer.from(event);
        await lambda.send(new InvokeCommand({ FunctionName: Arn, InvocationType: 'Event', Payload }));
        calls += 1;
      }
    }
  }
  if (calls === 0) throw new Error(`no rule matches a deployment of ${stackIds.join(', ') || 'no stack'}`);
}
