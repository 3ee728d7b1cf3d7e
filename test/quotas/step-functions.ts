import { Readable } from 'node:stream';
import { SFNClient } from '@aws-sdk/client-sfn';
import { TokenBucket } from './token-bucket.ts';

type Input = Readonly<Record<string, unknown>>;

/** An error of the API of Step Functions, by its name. */
class RefusalError extends Error {
  override readonly name: string;
  constructor(name: string, message = '') {
    super(message);
    this.name = name;
  }
}

interface StoredMachine {
  readonly type: string;
  definition: string;
  roleArn: string;
  loggingConfiguration: unknown;
  revision: number;
  /** The revision that each version has, by its number. */
  readonly versions: Map<number, number>;
  nextVersion: number;
  isDeleting: boolean;
}

interface StoredExecution {
  readonly machine: string;
  readonly handle: string;
  readonly input: string;
  status: 'RUNNING' | 'SUCCEEDED' | 'ABORTED';
  error?: string;
}

const ACCOUNT = 'arn:aws:states:eu-test-1:123456789012';
const MACHINES = `${ACCOUNT}:stateMachine:`;

/** Sizes and rates of the buckets of us-east-1 (aws-facts, 1.1). */
const DEFINING = [100, 1] as const;
const BUCKETS: Readonly<Record<string, readonly [number, number]>> = {
  CreateStateMachine: DEFINING,
  UpdateStateMachine: DEFINING,
  DeleteStateMachine: DEFINING,
  PublishStateMachineVersion: DEFINING,
  DeleteStateMachineVersion: DEFINING,
  DescribeStateMachine: [200, 20],
  ListStateMachineVersions: [100, 5],
  ListStateMachines: [100, 5],
  ListExecutions: [200, 5],
  StartExecution: [1300, 300],
  StopExecution: [1000, 200],
  DescribeExecution: [300, 15],
};

const MAX_VERSIONS = 1000;
const MAX_DEFINITION_BYTES = 1_048_576;
/** The size of a request: the definition in it is a string of its JSON. */
const MAX_REQUEST_BYTES = 1_000_000;
const MAX_INPUT_BYTES = 262_144;

/**
 * Step Functions with its limits: requests an account, versions a machine, sizes of definitions and inputs. A deleted
 * machine keeps its name while an execution runs, and a new one of that name numbers its versions from 1. It stores
 * executions and runs none of them.
 */
export class QuotaStepFunctions {
  readonly machines = new Map<string, StoredMachine>();
  /** By machine and name. */
  readonly executions = new Map<string, StoredExecution>();
  /** How many requests were received, by their operation. */
  readonly calls: Record<string, number> = {};
  /** How many of them were throttled. */
  readonly throttled: Record<string, number> = {};
  /** The limits of an account; a test may lower them. */
  readonly most = { machines: 100_000, openExecutions: 1_000_000 };
  readonly #buckets = new Map<string, TokenBucket>();
  readonly #now: () => number;

  /** `now` in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** A client of the SDK whose requests this answers in place of AWS. It does not retry. */
  client(): SFNClient {
    const handle = async (request: {
      readonly headers: Record<string, string>;
      readonly body: string | Uint8Array;
    }) => {
      const operation = String(request.headers['x-amz-target']).split('.')[1] ?? '';
      const bytes = Buffer.byteLength(request.body) + Buffer.byteLength(JSON.stringify(request.headers));
      if (bytes > MAX_REQUEST_BYTES) throw new Error(`a request of ${operation} has ${bytes} bytes`);
      const { status, body } = this.#answer(operation, JSON.parse(Buffer.from(request.body).toString()) as Input);
      const headers = { 'content-type': 'application/x-amz-json-1.0' };
      return { response: { statusCode: status, headers, body: Readable.from([Buffer.from(JSON.stringify(body))]) } };
    };
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    return new SFNClient({ region: 'eu-test-1', credentials, maxAttempts: 1, requestHandler: { handle } as never });
  }

  /** Ends an execution, as its last state does. */
  complete(machine: string, name: string): void {
    const execution = this.executions.get(`${machine}/${name}`);
    if (execution !== undefined) execution.status = 'SUCCEEDED';
    this.#forgetDeleted();
  }

  #answer(operation: string, input: Input): { readonly status: number; readonly body: object } {
    this.calls[operation] = (this.calls[operation] ?? 0) + 1;
    try {
      if (!this.#bucketOf(operation).take()) {
        this.throttled[operation] = (this.throttled[operation] ?? 0) + 1;
        throw new RefusalError('ThrottlingException', 'Rate exceeded');
      }
      const act = OPERATIONS[operation];
      if (act === undefined) throw new RefusalError('UnknownOperationException', operation);
      return { status: 200, body: act(this, input) };
    } catch (error) {
      if (!(error instanceof RefusalError)) throw error;
      return {
        status: 400,
        body: { __type: `com.amazonaws.swf.service.v2.model#${error.name}`, message: error.message },
      };
    }
  }

  #bucketOf(operation: string): TokenBucket {
    const [size, perSecond] = BUCKETS[operation] ?? [1000, 1000];
    const bucket = this.#buckets.get(operation) ?? new TokenBucket(size, perSecond, this.#now);
    this.#buckets.set(operation, bucket);
    return bucket;
  }

  /** Uses up a request of an operation, as another service of the account does. */
  takeToken(operation: string): void {
    this.#bucketOf(operation).take();
  }

  /** A machine that is deleted exists until its executions have ended. */
  #forgetDeleted(): void {
    for (const [name, { isDeleting }] of this.machines)
      if (isDeleting && !this.isRunning(name)) this.machines.delete(name);
  }

  isRunning(machine: string): boolean {
    return [...this.executions.values()].some((one) => one.machine === machine && one.status === 'RUNNING');
  }

  get openExecutions(): number {
    return [...this.executions.values()].filter(({ status }) => status === 'RUNNING').length;
  }

  need(arn: unknown): StoredMachine {
    const machine = this.machines.get(nameIn(arn));
    if (machine === undefined) throw new RefusalError('StateMachineDoesNotExist', String(arn));
    return machine;
  }

  publish(machine: StoredMachine): number {
    const same = [...machine.versions].find(([, revision]) => revision === machine.revision);
    if (same !== undefined) return same[0];
    if (machine.versions.size >= MAX_VERSIONS) throw new RefusalError('ServiceQuotaExceededException', 'versions');
    const version = machine.nextVersion++;
    machine.versions.set(version, machine.revision);
    return version;
  }

  delete(arn: unknown): void {
    const machine = this.machines.get(nameIn(arn));
    if (machine !== undefined) machine.isDeleting = true;
    this.#forgetDeleted();
  }
}

/** The name of a machine in its ARN, or in that of a version. */
const nameIn = (arn: unknown): string => String(arn).slice(MACHINES.length).split(':')[0] ?? '';
const versionIn = (arn: unknown): number => Number(String(arn).slice(MACHINES.length).split(':')[1]);

function checkDefinition(definition: unknown): string {
  const text = String(definition);
  if (Buffer.byteLength(text) > MAX_DEFINITION_BYTES) throw new RefusalError('InvalidDefinition', 'more than 1 MB');
  return text;
}

const published = (name: string, version: number) => ({ stateMachineVersionArn: `${MACHINES}${name}:${version}` });

type Operation = (fake: QuotaStepFunctions, input: Input) => object;

const OPERATIONS: Readonly<Record<string, Operation>> = {
  CreateStateMachine(fake, { name, definition, type, roleArn, loggingConfiguration }) {
    const key = String(name);
    const text = checkDefinition(definition);
    const existing = fake.machines.get(key);
    if (existing?.isDeleting) throw new RefusalError('StateMachineDeleting');
    const logging = JSON.stringify(loggingConfiguration);
    const isSame = existing?.definition === text && JSON.stringify(existing.loggingConfiguration) === logging;
    if (existing !== undefined && !isSame) throw new RefusalError('StateMachineAlreadyExists');
    if (existing === undefined && fake.machines.size >= fake.most.machines) {
      throw new RefusalError('StateMachineLimitExceeded');
    }
    const made: StoredMachine = existing ?? {
      type: String(type),
      definition: text,
      roleArn: String(roleArn),
      loggingConfiguration,
      revision: 0,
      versions: new Map(),
      nextVersion: 1,
      isDeleting: false,
    };
    fake.machines.set(key, made);
    return { stateMachineArn: MACHINES + key, creationDate: 0, ...published(key, fake.publish(made)) };
  },
  DescribeStateMachine(fake, { stateMachineArn }) {
    const { definition, roleArn, type, revision, loggingConfiguration } = fake.need(stateMachineArn);
    const revisionId = revision === 0 ? {} : { revisionId: String(revision) };
    return {
      stateMachineArn,
      name: nameIn(stateMachineArn),
      definition,
      roleArn,
      type,
      loggingConfiguration,
      ...revisionId,
    };
  },
  UpdateStateMachine(fake, { stateMachineArn, definition, roleArn, loggingConfiguration }) {
    const machine = fake.need(stateMachineArn);
    if (machine.isDeleting) throw new RefusalError('StateMachineDeleting');
    machine.definition = checkDefinition(definition);
    machine.roleArn = String(roleArn);
    machine.loggingConfiguration = loggingConfiguration ?? machine.loggingConfiguration;
    machine.revision += 1;
    return { updateDate: 0, ...published(nameIn(stateMachineArn), fake.publish(machine)) };
  },
  PublishStateMachineVersion(fake, { stateMachineArn }) {
    return { creationDate: 0, ...published(nameIn(stateMachineArn), fake.publish(fake.need(stateMachineArn))) };
  },
  ListStateMachineVersions(fake, { stateMachineArn, nextToken, maxResults }) {
    const numbers = [...fake.need(stateMachineArn).versions.keys()].toSorted((one, other) => other - one);
    const from = Number(nextToken ?? 0);
    const to = from + Number(maxResults ?? 100);
    const page = numbers.slice(from, to).map((version) => published(nameIn(stateMachineArn), version));
    return { stateMachineVersions: page, ...(to < numbers.length ? { nextToken: String(to) } : {}) };
  },
  DeleteStateMachineVersion(fake, { stateMachineVersionArn }) {
    fake.need(stateMachineVersionArn).versions.delete(versionIn(stateMachineVersionArn));
    return {};
  },
  DeleteStateMachine(fake, { stateMachineArn }) {
    fake.delete(stateMachineArn);
    return {};
  },
  ListStateMachines(fake, { nextToken, maxResults }) {
    const from = Number(nextToken ?? 0);
    const to = from + Number(maxResults ?? 100);
    const names = [...fake.machines.keys()];
    const page = names.slice(from, to).map((name) => ({ name, stateMachineArn: MACHINES + name }));
    return { stateMachines: page, ...(to < names.length ? { nextToken: String(to) } : {}) };
  },
  ListExecutions(fake, { stateMachineArn }) {
    const machine = nameIn(stateMachineArn);
    if (fake.need(stateMachineArn).type === 'EXPRESS') throw new RefusalError('StateMachineTypeNotSupported');
    const running = [...fake.executions].filter(([, one]) => one.machine === machine && one.status === 'RUNNING');
    const toArn = (key: string) => `${ACCOUNT}:execution:${key.replace('/', ':')}`;
    return { executions: running.map(([key]) => ({ executionArn: toArn(key), name: key.split('/')[1] })) };
  },
  StartExecution(fake, { stateMachineArn, name, input }) {
    const machine = fake.need(stateMachineArn);
    if (machine.isDeleting) throw new RefusalError('StateMachineDeleting');
    if (!machine.versions.has(versionIn(stateMachineArn))) throw new RefusalError('StateMachineDoesNotExist');
    if (Buffer.byteLength(String(input)) > MAX_INPUT_BYTES) throw new RefusalError('InvalidExecutionInput');
    const key = `${nameIn(stateMachineArn)}/${name}`;
    const existing = fake.executions.get(key);
    const isSame = existing?.status === 'RUNNING' && existing.input === input;
    if (existing !== undefined && !isSame && machine.type === 'STANDARD')
      throw new RefusalError('ExecutionAlreadyExists');
    if (existing === undefined && machine.type === 'STANDARD' && fake.openExecutions >= fake.most.openExecutions) {
      throw new RefusalError('ExecutionLimitExceeded');
    }
    const handle = String(stateMachineArn);
    fake.executions.set(key, { machine: nameIn(handle), handle, input: String(input), status: 'RUNNING' });
    return { executionArn: `${ACCOUNT}:execution:${key.replace('/', ':')}`, startDate: 0 };
  },
  DescribeExecution(fake, { executionArn }) {
    const key = String(executionArn).slice(`${ACCOUNT}:execution:`.length).replace(':', '/');
    const execution = fake.executions.get(key);
    if (execution === undefined) throw new RefusalError('ExecutionDoesNotExist');
    return { executionArn, status: execution.status };
  },
  StopExecution(fake, { executionArn, error }) {
    const key = String(executionArn).slice(`${ACCOUNT}:execution:`.length).replace(':', '/');
    const execution = fake.executions.get(key);
    if (execution === undefined) throw new RefusalError('ExecutionDoesNotExist');
    if (execution.status === 'RUNNING') Object.assign(execution, { status: 'ABORTED', error });
    fake.complete('', '');
    return { stopDate: 0 };
  },
};
