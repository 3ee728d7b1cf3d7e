import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { DescribeExecutionCommand, SFNClient } from '@aws-sdk/client-sfn';
import { stepFunctions } from '../../lib/adapters/aws/executions/executions.ts';
import type { Executions } from '../../lib/ports/executions.ts';
import type { Ending } from '../contract/executions.ts';
import { startMiniStack } from './ministack.ts';
import { zipOf } from './zip.ts';

/** The steps function of a test; an error that it throws fails the call with the error's name. */
export type Steps = (payload: unknown, executions: Executions) => unknown;

/** An emulator of Step Functions. */
export interface Emulator {
  /**
   * Defines the machine with a steps function of its own, starts it through the adapter for AWS, and returns how the
   * execution ended. Its tier is STANDARD, because the end of an EXPRESS execution cannot be read.
   */
  run(definition: object, steps: Steps, input: unknown): Promise<Ending>;
  close(): Promise<void>;
}

const BOOTSTRAP = zipOf('bootstrap', readFileSync(new URL('bootstrap.mjs', import.meta.url), 'utf8'));
const ROLE = 'arn:aws:iam::000000000000:role/machines';
const MAX_RUN_MS = 20_000;

/**
 * Starts the emulator.
 * @throws UnavailableError when it cannot be installed.
 */
export async function openEmulator(): Promise<Emulator> {
  const stack = await startMiniStack();
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  const client = new SFNClient({ endpoint: stack.url, region: 'us-east-1', credentials });
  const server = new StepsServer();
  const url = await server.open();
  return {
    run: async (definition, steps, input) => {
      const name = `steps-${randomUUID()}`;
      const stepsFunctionArn = await createFunction(stack.url, name, `${url}/${name}`);
      const executions = stepFunctions({ stepsFunctionArn, roleArn: ROLE, client });
      server.add(name, async (payload) => steps(payload, executions));
      const machine = { name, definition: JSON.stringify(definition), tier: 'STANDARD' } as const;
      try {
        const handle = await executions.define(machine);
        await executions.start(handle, 'run', input);
        return await endOf(client, handle);
      } finally {
        await fetch(`${stack.url}/2015-03-31/functions/${name}`, { method: 'DELETE' });
      }
    },
    close: async () => {
      client.destroy();
      await stack.stop();
      await server.close();
    },
  };
}

/**
 * Lambda's CreateFunction. With a custom runtime, because the emulator's runtime for Node loses the names of errors.
 */
async function createFunction(endpoint: string, name: string, url: string): Promise<string> {
  const response = await fetch(`${endpoint}/2015-03-31/functions`, {
    method: 'POST',
    body: JSON.stringify({
      FunctionName: name,
      Runtime: 'provided.al2023',
      Handler: 'bootstrap',
      Role: ROLE,
      Timeout: 30,
      Code: { ZipFile: BOOTSTRAP.toString('base64') },
      Environment: { Variables: { STEPS_URL: url } },
    }),
  });
  const { FunctionArn: arn } = (await response.json()) as { readonly FunctionArn?: string };
  if (arn === undefined) throw new Error(`the emulator created no function: ${response.status}`);
  return arn;
}

async function endOf(client: SFNClient, handle: string): Promise<Ending> {
  const executionArn = `${handle.replace(':stateMachine:', ':execution:').replace(/:\d+$/, '')}:run`;
  for (const end = performance.now() + MAX_RUN_MS; performance.now() < end; ) {
    const { status, output, error, cause } = await client.send(new DescribeExecutionCommand({ executionArn }));
    if (status !== 'RUNNING') {
      return {
        status: status as Ending['status'],
        // In the emulator a failed execution has an output; in Step Functions it has none.
        ...(status !== 'SUCCEEDED' || output === undefined ? {} : { output: JSON.parse(output) as unknown }),
        ...(error === undefined ? {} : { error }),
        ...(cause === undefined ? {} : { cause }),
      };
    }
    await sleep(25);
  }
  throw new Error(`the execution has not ended after ${MAX_RUN_MS} ms`);
}

/** Serves the calls that the functions in the emulator forward. */
class StepsServer {
  readonly #server: Server;
  readonly #functions = new Map<string, (payload: unknown) => Promise<unknown>>();

  constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  add(name: string, answer: (payload: unknown) => Promise<unknown>): void {
    this.#functions.set(`/${name}`, answer);
  }

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  /** Reports an error in the format of Lambda's Runtime API. */
  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const answer = await this.#functions.get(request.url ?? '')?.(await json(request));
      response.end(JSON.stringify(answer ?? null));
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error));
      response.writeHead(500).end(JSON.stringify({ errorType: name, errorMessage: message, trace: [] }));
    }
  }
}
