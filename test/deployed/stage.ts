import { type MiniStack, startMiniStack } from '../emulator/ministack.ts';
import { Deployment } from './deployment.ts';
import { leftIn } from './leftovers.ts';
import { type AwsProxy, startProxy } from './proxy.ts';
import type { Place } from './scratch.ts';

/** What the stack is called. */
const NAME = 'weft';

/** One emulator of AWS, and in it one deployment. */
export class Stage {
  readonly #stack: MiniStack;
  readonly #proxy: AwsProxy;
  readonly #deployment: Deployment;

  private constructor(stack: MiniStack, proxy: AwsProxy, deployment: Deployment) {
    this.#stack = stack;
    this.#proxy = proxy;
    this.#deployment = deployment;
  }

  /** Starts the emulator. Throws Unavailable where it cannot be had. */
  static async open(assembly: string): Promise<Stage> {
    let emulator = '';
    const proxy = await startProxy(() => emulator);
    try {
      const stack = await startMiniStack({ waitScale: 1, functionsCall: proxy.url });
      emulator = stack.url;
      return new Stage(stack, proxy, await Deployment.open({ endpoint: stack.url, assembly }));
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
    const url = `${this.#stack.url}/restapis/${api}/prod/_user_request_`;
    return { url, key: await this.#deployment.key(NAME), faults: `${this.#proxy.url}/_faults` };
  }

  /** Destroys all, and answers what is left. */
  async destroy(): Promise<readonly string[]> {
    await this.#deployment.destroy();
    return leftIn(this.#stack.url, NAME);
  }

  async close(): Promise<void> {
    await this.#stack.stop();
    await this.#proxy.close();
    await this.#deployment.close();
  }
}
