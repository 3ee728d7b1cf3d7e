import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient, ListEventBusesCommand, ListRulesCommand } from '@aws-sdk/client-eventbridge';
import { LambdaClient, ListFunctionsCommand } from '@aws-sdk/client-lambda';
import { ListBucketsCommand, S3Client } from '@aws-sdk/client-s3';
import { ListScheduleGroupsCommand, ListSchedulesCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { ListStateMachinesCommand, SFNClient } from '@aws-sdk/client-sfn';
import { DescribeParametersCommand, SSMClient } from '@aws-sdk/client-ssm';
import type { AwsAccess } from './deployment.ts';

type Names = readonly (string | undefined)[];

/** Lists the resources of each type that has the name of the installation in its own names. */
function lists({ client: config }: AwsAccess): Readonly<Record<string, () => Promise<Names>>> {
  const events = new EventBridgeClient(config);
  const scheduler = new SchedulerClient(config);
  return {
    table: async () => (await new DynamoDBClient(config).send(new ListTablesCommand())).TableNames ?? [],
    bucket: async () =>
      ((await new S3Client({ ...config, forcePathStyle: true }).send(new ListBucketsCommand())).Buckets ?? []).map(
        ({ Name }) => Name,
      ),
    function: async () =>
      ((await new LambdaClient(config).send(new ListFunctionsCommand())).Functions ?? []).map(
        ({ FunctionName }) => FunctionName,
      ),
    'state machine': async () =>
      ((await new SFNClient(config).send(new ListStateMachinesCommand())).stateMachines ?? []).map(({ name }) => name),
    bus: async () => ((await events.send(new ListEventBusesCommand())).EventBuses ?? []).map(({ Name }) => Name),
    rule: async () => ((await events.send(new ListRulesCommand())).Rules ?? []).map(({ Name }) => Name),
    'schedule group': async () =>
      ((await scheduler.send(new ListScheduleGroupsCommand())).ScheduleGroups ?? []).map(({ Name }) => Name),
    schedule: async () =>
      ((await scheduler.send(new ListSchedulesCommand())).Schedules ?? []).map(
        ({ GroupName, Name }) => `${GroupName}/${Name}`,
      ),
    parameter: async () =>
      ((await new SSMClient(config).send(new DescribeParametersCommand())).Parameters ?? []).map(({ Name }) => Name),
  };
}

/** The resources of an installation that exist in an account, without those of CDK's bootstrap. */
export async function remainingIn(access: AwsAccess, name: string): Promise<string[]> {
  const remaining: string[] = [];
  for (const [kind, list] of Object.entries(lists(access))) {
    for (const one of await list()) if (one?.toLowerCase().includes(name)) remaining.push(`${kind} ${one}`);
  }
  return remaining;
}
