import { CloudWatchClient, GetMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import type { AwsAccess } from '../deployment.ts';

/** Units of AWS that are counted for an operation (bench/calls.json) and metered by CloudWatch. */
export interface Units {
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly lambdas: number;
  readonly transitions: number;
}

/** A period, milliseconds since 1970. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

const MINUTE_S = 60;

/** The sums over all tables, indexes, functions and machines whose names contain a text. */
const expressionsOf = (name: string): Readonly<Record<keyof Units, string>> => {
  const search = (schema: string, metric: string) =>
    `SUM(SEARCH('{${schema}} MetricName="${metric}" "${name}"', 'Sum', ${MINUTE_S}))`;
  const ofTables = (metric: string) =>
    `${search('AWS/DynamoDB,TableName', metric)} + ${search('AWS/DynamoDB,TableName,GlobalSecondaryIndexName', metric)}`;
  return {
    readUnits: ofTables('ConsumedReadCapacityUnits'),
    writeUnits: ofTables('ConsumedWriteCapacityUnits'),
    lambdas: search('AWS/Lambda,FunctionName', 'Invocations'),
    transitions: search('AWS/States,StateMachineArn', 'ConsumedCapacity'),
  };
};

/** Reads what an installation used in a period. Undefined where CloudWatch has no values, as in an emulator. */
export async function usageOf(
  { client }: AwsAccess,
  name: string,
  { from, to }: Period,
): Promise<Partial<Units> | undefined> {
  const queries = Object.entries(expressionsOf(name)).map(([Id, Expression]) => ({ Id, Expression }));
  const request = { MetricDataQueries: queries, StartTime: new Date(from), EndTime: new Date(to) };
  const { MetricDataResults = [] } = await new CloudWatchClient(client).send(new GetMetricDataCommand(request));
  const used: Partial<Record<keyof Units, number>> = {};
  for (const { Id, Values = [] } of MetricDataResults) {
    if (Values.length > 0) used[Id as keyof Units] = Values.reduce((sum, value) => sum + value);
  }
  return Object.keys(used).length === 0 ? undefined : used;
}
