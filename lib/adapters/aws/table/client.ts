import {
  DynamoDBClient,
  type DynamoDBClientConfig,
  DynamoDBServiceException,
  type ServiceOutputTypes,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import type { TableName } from '../../../ports/table.ts';

/** One call that went over the wire: what it was, to which tables (joined by `+`), and what AWS counted for it. */
export interface Call {
  readonly operation: string;
  readonly table: string;
  readonly units?: number;
}

export interface ClientOptions {
  /** Another place than the region's own DynamoDB. */
  readonly endpoint?: string;
  readonly region?: string;
  readonly credentials?: NonNullable<DynamoDBClientConfig['credentials']>;
}

export interface DatabaseOptions extends ClientOptions {
  /** A connection that exists already; the options that would make one are then ignored. */
  readonly client?: DynamoDBClient;
  /** What each table is called there. */
  readonly names: Readonly<Record<TableName, string>>;
  readonly onCall?: (call: Call) => void;
}

/** What the reading and the writing half of a table share: the connection, the names and the count of calls. */
export interface Database {
  readonly names: Readonly<Record<TableName, string>>;
  /** Asks AWS to say what a call consumed, where somebody wants to know. */
  readonly capacity: { readonly ReturnConsumedCapacity?: 'TOTAL' };
  /**
   * Sends a command (`client.send` with it) and reports it; sends it again while the database refuses it for the
   * moment. An error that it throws says in its metadata how often the command went out in all.
   */
  call<T extends ServiceOutputTypes>(
    operation: string,
    table: string,
    send: (client: DynamoDBClient) => Promise<T>,
  ): Promise<T>;
}

/** The connection given, or a new one. */
export function openDatabase(options: DatabaseOptions): Database {
  const { names, onCall, client = databaseClient(options) } = options;
  return {
    names,
    capacity: onCall ? { ReturnConsumedCapacity: 'TOTAL' } : {},
    async call(operation, table, send) {
      let attempts = 0;
      for (let tries = 1; ; tries++) {
        try {
          const output = await send(client);
          onCall?.({ operation, table, ...unitsOf(output) });
          return output;
        } catch (error) {
          onCall?.({ operation, table });
          attempts += attemptsOf(error);
          if (!isPassing(error) || tries >= MOST_TRIES) throw withAttempts(error, attempts);
        }
        await backoff(tries);
      }
    },
  };
}

/** How often a command went out before it failed; the SDK counts its own repetitions. */
export const attemptsOf = (error: unknown): number =>
  error instanceof DynamoDBServiceException ? (error.$metadata.attempts ?? 1) : 1;

function withAttempts(error: unknown, attempts: number): unknown {
  if (error instanceof DynamoDBServiceException) error.$metadata.attempts = attempts;
  return error;
}

/**
 * A keep-alive connection of at most 64 sockets. Credentials are the SDK's own, unless given. The modes are said
 * outright, so that none is looked up in files.
 */
export function databaseClient({ endpoint, region, credentials }: ClientOptions): DynamoDBClient {
  const agent = { keepAlive: true, maxSockets: 64 };
  return new DynamoDBClient({
    ...(endpoint === undefined ? {} : { endpoint, accountIdEndpointMode: 'disabled' as const }),
    ...(region === undefined ? {} : { region }),
    ...(credentials === undefined ? {} : { credentials }),
    retryMode: 'standard',
    defaultsMode: 'standard',
    endpointDiscoveryEnabled: false,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    requestHandler: {
      httpAgent: agent,
      httpsAgent: agent,
      connectionTimeout: 3_000,
      requestTimeout: 15_000,
      throwOnRequestTimeout: true,
    },
  });
}

function unitsOf(output: ServiceOutputTypes): { readonly units?: number } {
  const consumed = 'ConsumedCapacity' in output ? output.ConsumedCapacity : undefined;
  if (consumed === undefined) return {};
  const parts = Array.isArray(consumed) ? consumed : [consumed];
  return { units: parts.reduce((sum, part) => sum + ('CapacityUnits' in part ? (part.CapacityUnits ?? 0) : 0), 0) };
}

/** Errors that pass by themselves. The SDK repeats some of them, but gives up within a second. */
const PASSING_ERRORS = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TransactionConflictException',
  'TransactionInProgressException',
]);

/** The same as reasons of a cancelled transaction, which the SDK never repeats. */
const PASSING_REASONS = new Set(['None', 'TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

function isPassing(error: unknown): boolean {
  if (!(error instanceof TransactionCanceledException)) return error instanceof Error && PASSING_ERRORS.has(error.name);
  const codes = (error.CancellationReasons ?? []).map((reason) => reason.Code ?? 'None');
  return codes.some((code) => code !== 'None') && codes.every((code) => PASSING_REASONS.has(code));
}

/** The most tries of a call that was refused for the moment: about two seconds of patience in all. */
export const MOST_TRIES = 10;

/** Waits before try number `tries` + 1: a random part of a doubling span, so that rivals drift apart. */
export function backoff(tries: number): Promise<void> {
  const longest = Math.min(1_000, 10 * 2 ** tries);
  return new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
}
