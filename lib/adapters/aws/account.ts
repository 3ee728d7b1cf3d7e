import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';

/**
 * Returns how many calls of functions without a reservation the account allows at the same time. Throws Error when AWS
 * returns no number.
 */
export async function concurrentCalls(client = new LambdaClient()): Promise<number> {
  const { AccountLimit: limit } = await client.send(new GetAccountSettingsCommand());
  const calls = limit?.UnreservedConcurrentExecutions ?? limit?.ConcurrentExecutions;
  if (calls === undefined) throw new Error('GetAccountSettings returned no limit of concurrent executions');
  return calls;
}
