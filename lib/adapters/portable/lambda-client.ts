import { InvokeCommand, type InvokeCommandInput, LambdaClient, type LambdaClientConfig } from '@aws-sdk/client-lambda';

/**
 * Opens a client of Lambda that invokes functions, each once: the language's own retries decide whether an invocation is
 * repeated. The module is loaded at the first invocation. It names its imports from the SDK: a bundle that loads the
 * whole SDK later has all of its commands, because the bundler cannot see which of them are used.
 */
export function openLambdaClient(config: LambdaClientConfig) {
  const client = new LambdaClient({ ...config, maxAttempts: 1 });
  return (input: InvokeCommandInput, abortSignal: AbortSignal) =>
    client.send(new InvokeCommand(input), { abortSignal });
}
