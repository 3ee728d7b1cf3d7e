import { vi } from 'vitest';
import { type AwsServer, type Reply, startAwsServer } from '../adapters/aws/server.ts';
import { type EmulatedTable, openEmulatedTable } from '../emulator/dynoxide.ts';

const MACHINE = 'arn:aws:states:eu-test-1:123456789012:stateMachine:weft-machine';

/** The responses of the AWS services other than the database. */
const ANSWERS: Readonly<Record<string, Reply>> = {
  GetParameter: { body: { Parameter: { Value: '{"apikey":"the-key"}' } } },
  CreateStateMachine: { body: { stateMachineArn: MACHINE, creationDate: 0, stateMachineVersionArn: `${MACHINE}:1` } },
  StartExecution: { body: { executionArn: `${MACHINE}:e`, startDate: 0 } },
  SendTaskSuccess: { body: {} },
  PutEvents: { body: { FailedEntryCount: 0, Entries: [{ EventId: '1' }] } },
};

const ENVIRONMENT = {
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  WEFT_CATALOG: 'weft-catalog',
  WEFT_RUNS: 'weft-runs',
  WEFT_JOURNAL: 'weft-journal',
  WEFT_BUCKET: 'blobs',
  WEFT_KEY_PARAMETER: '/weft',
  WEFT_ROOT_KEY: '/weft/root-key',
  WEFT_STEPS: 'arn:aws:lambda:eu-test-1:123456789012:function:weft-steps',
  WEFT_MACHINE_ROLE: 'arn:aws:iam::123456789012:role/machines',
  WEFT_MACHINE_LOGS: 'arn:aws:logs:eu-test-1:123456789012:log-group:weft',
  WEFT_PREFIX: 'weft-',
  WEFT_BUS: 'weft',
  WEFT_EVENT_SOURCE: 'service.namespaces',
  WEFT_DELAY_MACHINE: 'arn:aws:states:eu-test-1:123456789012:stateMachine:weft_delay',
  WEFT_SCHEDULE_GROUP: 'weft',
  WEFT_SCHEDULE_ROLE: 'arn:aws:iam::123456789012:role/schedules',
  WEFT_TIMER_GROUP: 'weft--timers',
  WEFT_TIMER_ROLE: 'arn:aws:iam::123456789012:role/timers',
  WEFT_CRON: 'arn:aws:lambda:eu-test-1:123456789012:function:weft-cron',
  WEFT_FAILED: 'arn:aws:sqs:eu-test-1:123456789012:failed',
  WEFT_AUDIT: '{}',
  WEFT_BRAND: 'direktiv',
  WEFT_VERSION: '1',
  WEFT_RETENTION_DAYS: '30',
  WEFT_MAX_DESCENDANTS: '100000',
  WEFT_START_BUDGET_MS: '100',
  WEFT_STREAMING: 'false',
};

/** The environment of deployed functions: an embedded database, and a fake server for the other AWS services. */
export class DeployedSpace {
  readonly database: EmulatedTable;
  readonly #server: AwsServer;
  readonly #refused: Set<string>;

  private constructor(database: EmulatedTable, server: AwsServer, refused: Set<string>) {
    this.database = database;
    this.#server = server;
    this.#refused = refused;
  }

  /** Opens it and sets the environment variables of the functions; `more` are added to them. */
  static async open(more: Readonly<Record<string, string>> = {}): Promise<DeployedSpace> {
    const database = await openEmulatedTable();
    const refused = new Set<string>();
    const server = await startAwsServer(({ operation, path }) => {
      if (path.startsWith('/schedules/'))
        return { body: { ScheduleArn: 'arn:aws:scheduler:eu-test-1:123456789012:s' } };
      if (refused.has(operation)) return { status: 400, body: { __type: 'AccessDeniedException', message: 'no' } };
      return ANSWERS[operation] ?? { status: 400, body: { __type: 'UnknownOperationException', message: operation } };
    });
    const { endpoint, region } = server.config;
    const where = { AWS_ENDPOINT_URL: endpoint, AWS_ENDPOINT_URL_DYNAMODB: database.endpoint, AWS_REGION: region };
    for (const [name, value] of Object.entries({ ...ENVIRONMENT, ...where, ...more })) vi.stubEnv(name, value);
    return new DeployedSpace(database, server, refused);
  }

  /** The inputs of an operation of AWS that were received. */
  asked(operation: string): readonly Readonly<Record<string, unknown>>[] {
    return this.#server.requests.filter((asked) => asked.operation === operation).map(({ input }) => input);
  }

  /** Makes an operation fail from now on, or succeed again. */
  refuse(operation: string, isRefused = true): void {
    if (isRefused) this.#refused.add(operation);
    else this.#refused.delete(operation);
  }

  async close(): Promise<void> {
    vi.unstubAllEnvs();
    await this.#server.close();
    await this.database.close();
  }
}

/** A request as API Gateway passes it. */
export function requestOf(method: string, path: string, body = '', query: Readonly<Record<string, string>> = {}) {
  return {
    httpMethod: method,
    path,
    headers: { 'Service-Api-Key': 'the-key', 'Content-Type': 'application/cloudevents+json' },
    queryStringParameters: query,
    multiValueQueryStringParameters: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]])),
    body,
    isBase64Encoded: false,
    requestContext: {},
  };
}
