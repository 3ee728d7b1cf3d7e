import { type MiniStack, startMiniStack } from '../emulator/ministack.ts';
import { type AwsAccess, Deployment, emulatorAccess } from './deployment.ts';
import { Installation } from './installation.ts';
import { type AwsProxy, startProxy } from './proxy.ts';
import type { Target } from './target.ts';

/** The name of the installation in the assemblies. */
const NAME = 'weft';

/** The processes that end with the installation. */
interface Started {
  readonly stack: MiniStack;
  readonly proxy: AwsProxy;
}

/** An installation in an emulator of AWS. */
export class EmulatedInstallation extends Installation {
  readonly #started: Started | undefined;

  private constructor(access: AwsAccess, deployment: Deployment, started?: Started) {
    super(access, deployment, NAME);
    this.#started = started;
  }

  /** Uses an emulator that runs already. */
  static async at(endpoint: string, assembly: string): Promise<EmulatedInstallation> {
    const access = emulatorAccess(endpoint);
    return new EmulatedInstallation(access, await Deployment.open({ access, assembly }));
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
      const access = emulatorAccess(stack.url);
      const deployment = await Deployment.open({ access, assembly });
      return new EmulatedInstallation(access, deployment, { stack, proxy });
    } catch (error) {
      await proxy.close();
      throw error;
    }
  }

  override async deployAgain(assembly?: string): Promise<Target> {
    const target = await super.deployAgain(assembly);
    const { proxy } = this.#started ?? {};
    return { ...target, ...(proxy === undefined ? {} : { faults: `${proxy.url}/_faults` }) };
  }

  override async close(): Promise<void> {
    await this.#started?.stack.stop();
    await this.#started?.proxy.close();
    await super.close();
  }
}
