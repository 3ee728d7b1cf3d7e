import {
  DynamoDBClient,
  type DynamoDBClientConfig,
  DynamoDBServiceException,
  type ServiceOutputTypes,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { type TableName, UnreachableTableError } from '../../../ports/table.ts';

/** One request to the database: its operation, its tables (joined by `+`), and the capacity units that it consumed. */
export interface Call {
  readonly operation: string;
  readonly table: string;
  readonly units?: number;
}

/** How a client connects. */
export interface ClientOptions {
  /** Another endpoint than DynamoDB in the region. */
  readonly endpoint?: string;
  readonly region?: string;
  readonly credentials?: NonNullable<DynamoDBClientConfig['credentials']>;
}

/** Which database is used, and under which table names. */
export interface DatabaseOptions extends ClientOptions {
  /** An existing client; the options of `ClientOptions` are then ignored. */
  readonly client?: DynamoDBClient;
  /** The names of the tables in the database. */
  readonly names: Readonly<Record<TableName, string>>;
  readonly onCall?: (call: Call) => void;
}

/** The parts that readers and writers of items share: the client, the table names and the count of requests. */
export interface Database {
  readonly names: Readonly<Record<TableName, string>>;
  /** Requests the consumed capacity, where `onCall` is given. */
  readonly capacity: { readonly ReturnConsumedCapacity?: 'TOTAL' };
  /**
   * Sends a command and reports it to `onCall`. Retries transient errors. The metadata of an error that it throws has
   * the number of all attempts.
   */
  call<T extends ServiceOutputTypes>(
    operation: string,
    table: string,
    send: (client: DynamoDBClient) => Promise<T>,
  ): Promise<T>;
}

/** A database with the given client, or with a new one. */
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
          if (isUnreachable(error))
            throw new UnreachableTableError(`the database cannot be reached: ${error.message}`, { cause: error });
          if (!isTransient(error) || tries >= MAX_ATTEMPTS) throw withAttempts(error, attempts);
        }
        await backoff(tries);
      }
    },
  };
}

/** The number of attempts of a failed command, with the retries of the SDK. */
export const attemptsOf = (error: unknown): number =>
  error instanceof DynamoDBServiceException ? (error.$metadata.attempts ?? 1) : 1;

function withAttempts(error: unknown, attempts: number): unknown {
  if (error instanceof DynamoDBServiceException) error.$metadata.attempts = attempts;
  return error;
}

/**
 * A client with at most 64 keep-alive connections. Credentials come from the SDK's default chain unless given. The
 * modes are set explicitly, so that the SDK does not look for them in files.
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

/** Names of transient errors. The SDK retries some of them too, for less than a second. */
const TRANSIENT_ERRORS = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'TransactionConflictException',
  'TransactionInProgressException',
]);

/** Codes of connections that failed; the SDK has tried several times by then, as it does after a timeout. */
const CONNECTION_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);

function isUnreachable(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const { code = '' } = error as NodeJS.ErrnoException;
  return error.name === 'TimeoutError' || CONNECTION_ERRORS.has(code);
}

/** The same as reasons of a cancelled transaction, which the SDK does not retry. */
const TRANSIENT_REASONS = new Set(['None', 'TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

function isTransient(error: unknown): boolean {
  if (!(error instanceof TransactionCanceledException))
    return error instanceof Error && TRANSIENT_ERRORS.has(error.name);
  const codes = (error.CancellationReasons ?? []).map((reason) => reason.Code ?? 'None');
  return codes.some((code) => code !== 'None') && codes.every((code) => TRANSIENT_REASONS.has(code));
}

/** The largest number of attempts of a call with a transient error: about two seconds in all. */
export const MAX_ATTEMPTS = 10;

/** Waits before attempt number `tries` + 1: exponential backoff with full jitter. */
export function backoff(tries: number): Promise<void> {
  const longest = Math.min(1_000, 10 * 2 ** tries);
  return new Promise((resolve) => setTimeout(resolve, Math.random() * longest));
}
