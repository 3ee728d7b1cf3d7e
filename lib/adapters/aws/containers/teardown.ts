import { DeleteFunctionCommand, LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';

/** Requests to Lambda's control plane refill at 15 a second; who throttles is asked again. */
const MOST_TRIES = 20;

/**
 * Deletes the functions whose names begin so, with what of them is kept running. Safe to repeat. Answers how many there
 * were. Their images go with the repository.
 */
export async function removeFunctions(
  prefix: string,
  client = new LambdaClient({ maxAttempts: MOST_TRIES, retryMode: 'adaptive' }),
): Promise<number> {
  const names: string[] = [];
  for await (const { Functions = [] } of paginateListFunctions({ client }, {})) {
    names.push(
      ...Functions.flatMap(({ FunctionName = '' }) => (FunctionName.startsWith(prefix) ? [FunctionName] : [])),
    );
  }
  for (const FunctionName of names) await client.send(new DeleteFunctionCommand({ FunctionName }));
  return names.length;
}
