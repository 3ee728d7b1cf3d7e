import { type MiniStack, startMiniStack } from '../emulator/ministack.ts';
import { Deployment } from './deployment.ts';
import { leftIn } from './leftovers.ts';
import { type AwsProxy, startProxy } from './proxy.ts';
import type { Place } from './scratch.ts';

/** What the stack is called. */
const NAME = 'weft';

/** What was started for a stage, and ends with it. */
interface Started {
  readonly stack: MiniStack;
  readonly proxy: AwsProxy;
}

/** One emulator of AWS, and in it one deployment. */
export class Stage {
  readonly #endpoint: string;
  readonly #deployment: Deployment;
  readonly #started: Started | undefined;

  private constructor(endpoint: string, deployment: Deployment, started?: Started) {
    this.#endpoint = endpoint;
    this.#deployment = deployment;
    this.#started = started;
  }

  /** In an emulator that runs already. */
  static async at(endpoint: string, assembly: string): Promise<Stage> {
    return new Stage(endpoint, await Deployment.open({ endpoint, assembly }));
  }

  /** Starts the emulator. Throws Unavailable where it cannot be had. */
  static async open(assembly: string): Promise<Stage> {
    let emulator = '';
    const proxy = await startProxy(() => emulator);
    try {
      const stack = await startMiniStack({ waitScale: 1, functionsCall: proxy.url });
      emulator = stack.url;
      const deployment = await Deployment.open({ endpoint: stack.url, assembly });
      return new Stage(stack.url, deployment, { stack, proxy });
    } catch (error) {
      await proxy.close();
      throw error;
    }
  }

  /** Deploys twice: the second time there is nothing to do. */
  async deploy(): Promise<Place> {
    await this.#deployment.bootstrap();
    await this.#deployment.deploy();
    const outputs = await this.#deployment.deploy();
    const api = /https:\/\/(\w+)\./.exec(outputs[NAME]?.['Url'] ?? '')?.[1];
    const url = `${this.#endpoint}/restapis/${api}/prod/_user_request_`;
    const key = await this.#deployment.key(NAME);
    const { proxy } = this.#started ?? {};
    return { url, key, ...(proxy === undefined ? {} : { faults: `${proxy.url}/_faults` }) };
  }

  /** Destroys all, and answers what is left. */
  async destroy(): Promise<readonly string[]> {
    await this.#deployment.destroy();
    return leftIn(this.#endpoint, NAME);
  }

  async close(): Promise<void> {
    await this.#started?.stack.stop();
    await this.#started?.proxy.close();
    await this.#deployment.close();
  }
}
