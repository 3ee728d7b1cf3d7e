import { DeleteFunctionCommand, LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';

/** Lambda's control plane accepts 15 requests a second; throttled requests are repeated. */
const MAX_TRIES = 20;

/**
 * Deletes the functions whose names begin with the prefix, and their provisioned concurrency. Idempotent. Returns their
 * number. Their images are deleted with the repository.
 */
export async function removeFunctions(
  prefix: string,
  client = new LambdaClient({ maxAttempts: MAX_TRIES, retryMode: 'adaptive' }),
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
