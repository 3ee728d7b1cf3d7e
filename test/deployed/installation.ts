import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import type { AwsAccess, Deployment } from './deployment.ts';
import { remainingIn } from './remaining-resources.ts';
import { reportDeployment } from './stack-events.ts';
import { TableBackups } from './table-backups.ts';
import type { Target } from './target.ts';

/** The ids of the stacks in the app, by which the command line selects them. */
const SERVICE_STACK = 'Weft';
const DATA_STACK = 'WeftData';

/** An installation of the app's two stacks in an account of AWS or in an emulator. */
export class Installation {
  readonly #access: AwsAccess;
  readonly #deployment: Deployment;
  readonly #backups: TableBackups;
  readonly #name: string;
  #stackIds: readonly string[] = [];

  /** `name`: that in the settings of the assembly, the prefix of all names. */
  constructor(access: AwsAccess, deployment: Deployment, name: string) {
    this.#access = access;
    this.#deployment = deployment;
    this.#backups = new TableBackups(new DynamoDBClient(access.client));
    this.#name = name;
  }

  /** Deploys twice, the second time without changes, and returns the target. */
  async deploy(): Promise<Target> {
    await this.deployFirst();
    return this.deployAgain();
  }

  /** Deploys once, to an account that may not be bootstrapped, and returns the target. */
  async deployFirst(): Promise<Target> {
    await this.#deployment.bootstrap();
    return this.deployAgain();
  }

  /** Deploys to where it was bootstrapped, another assembly with the same stacks if one is given; returns the target. */
  async deployAgain(assembly?: string): Promise<Target> {
    const { outputs, stackIds } = await this.#deployment.deploy(assembly);
    this.#stackIds = stackIds;
    const { endpoint } = this.#access;
    const url = outputs[this.#name]?.['Url'] ?? '';
    const api = /https:\/\/(\w+)\./.exec(url)?.[1];
    const key = await this.#deployment.key(this.#name);
    return { url: endpoint === undefined ? url : `${endpoint}/restapis/${api}/prod/_user_request_`, key };
  }

  /** Destroys the stacks, and returns the resources that remain. */
  async destroy(): Promise<readonly string[]> {
    await this.#deployment.destroy();
    return this.resources();
  }

  /** Destroys the stack of the service, and leaves the one of the data. */
  async destroyService(): Promise<void> {
    await this.#deployment.destroy(SERVICE_STACK);
  }

  /** Destroys the stack of the data. Throws an error with the printed text when it fails. */
  async destroyData(): Promise<void> {
    await this.#deployment.destroy(DATA_STACK);
  }

  /** The resources that have the installation in their names. */
  resources(): Promise<readonly string[]> {
    return remainingIn(this.#access, this.#name);
  }

  /** The revision id of each function of the installation in Lambda, by its name: each update of a function changes it. */
  async functionRevisions(): Promise<Readonly<Record<string, string | undefined>>> {
    const revisions: Record<string, string | undefined> = {};
    for await (const { Functions = [] } of paginateListFunctions(
      { client: new LambdaClient(this.#access.client) },
      {},
    )) {
      for (const { FunctionName = '', RevisionId } of Functions) {
        if (FunctionName.startsWith(this.#name)) revisions[FunctionName] = RevisionId;
      }
    }
    return revisions;
  }

  /** Makes backups of the tables, each of another instant. */
  backUp(): Promise<void> {
    return this.#backups.take(this.#name);
  }

  /** Replaces the tables by their backups. The service must be destroyed. */
  restore(): Promise<void> {
    return this.#backups.restore();
  }

  /** Calls the functions that rules call after a deployment, in an emulator: AWS does that itself. */
  async reportDeployment(): Promise<void> {
    const { endpoint } = this.#access;
    if (endpoint !== undefined) await reportDeployment(endpoint, this.#stackIds);
  }

  async close(): Promise<void> {
    await this.#deployment.close();
  }
}
