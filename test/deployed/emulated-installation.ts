import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient, paginateListFunctions } from '@aws-sdk/client-lambda';
import { type MiniStack, startMiniStack } from '../emulator/ministack.ts';
import { CREDENTIALS, Deployment, REGION } from './deployment.ts';
import { type AwsProxy, startProxy } from './proxy.ts';
import { remainingIn } from './remaining-resources.ts';
import { reportDeployment } from './stack-events.ts';
import { TableBackups } from './table-backups.ts';
import type { Target } from './target.ts';

/** The name of the stack. */
const NAME = 'weft';
/** The ids of the stacks in the app, by which the command line selects them. */
const SERVICE_STACK = 'Weft';
const DATA_STACK = 'WeftData';

/** The processes that end with the installation. */
interface Started {
  readonly stack: MiniStack;
  readonly proxy: AwsProxy;
}

/** A deployment in an emulator of AWS. */
export class EmulatedInstallation {
  readonly #endpoint: string;
  readonly #deployment: Deployment;
  readonly #started: Started | undefined;
  readonly #backups: TableBackups;
  #stackIds: readonly string[] = [];

  private constructor(endpoint: string, deployment: Deployment, started?: Started) {
    this.#endpoint = endpoint;
    this.#deployment = deployment;
    this.#started = started;
    this.#backups = new TableBackups(new DynamoDBClient({ endpoint, region: REGION, credentials: CREDENTIALS }));
  }

  /** Uses an emulator that runs already. */
  static async at(endpoint: string, assembly: string): Promise<EmulatedInstallation> {
    return new EmulatedInstallation(endpoint, await Deployment.open({ endpoint, assembly }));
  }

  /**
   * Starts an emulator.
   * @throws UnavailableError when it cannot be installed.
   */
  static async open(assembly: string): Promise<EmulatedInstallation> {
    let emulator = '';
    const proxy = await startProxy(() => emulator);
    try {
      const stack = await startMiniStack({ waitScale: 1, functionEndpoint: proxy.url });
      emulator = stack.url;
      const deployment = await Deployment.open({ endpoint: stack.url, assembly });
      return new EmulatedInstallation(stack.url, deployment, { stack, proxy });
    } catch (error) {
      await proxy.close();
      throw error;
    }
  }

  /** Deploys twice, the second time without changes, and returns the target. */
  async deploy(): Promise<Target> {
    await this.deployFirst();
    return this.deployAgain();
  }

  /** Deploys once, to an emulator that was not bootstrapped, and returns the target. */
  async deployFirst(): Promise<Target> {
    await this.#deployment.bootstrap();
    return this.deployAgain();
  }

  /** Deploys to where it was bootstrapped, another assembly with the same stacks if one is given; returns the target. */
  async deployAgain(assembly?: string): Promise<Target> {
    const { outputs, stackIds } = await this.#deployment.deploy(assembly);
    this.#stackIds = stackIds;
    const api = /https:\/\/(\w+)\./.exec(outputs[NAME]?.['Url'] ?? '')?.[1];
    const url = `${this.#endpoint}/restapis/${api}/prod/_user_request_`;
    const key = await this.#deployment.key(NAME);
    const { proxy } = this.#started ?? {};
    return { url, key, ...(proxy === undefined ? {} : { faults: `${proxy.url}/_faults` }) };
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
    return remainingIn(this.#endpoint, NAME);
  }

  /** The revision id of each function in Lambda, by its name: each update of a function changes it. */
  async functionRevisions(): Promise<Readonly<Record<string, string | undefined>>> {
    const lambda = new LambdaClient({ endpoint: this.#endpoint, region: REGION, credentials: CREDENTIALS });
    const revisions: Record<string, string | undefined> = {};
    for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {})) {
      for (const { FunctionName = '', RevisionId } of Functions) revisions[FunctionName] = RevisionId;
    }
    return revisions;
  }

  /** Makes backups of the tables, each of another instant. */
  backUp(): Promise<void> {
    return this.#backups.take(NAME);
  }

  /** Replaces the tables by their backups. The service must be destroyed. */
  restore(): Promise<void> {
    return this.#backups.restore();
  }

  /** Calls the functions that rules call after a deployment. */
  reportDeployment(): Promise<void> {
    return reportDeployment(this.#endpoint, this.#stackIds);
  }

  async close(): Promise<void> {
    await this.#started?.stack.stop();
    await this.#started?.proxy.close();
    await this.#deployment.close();
  }
}
