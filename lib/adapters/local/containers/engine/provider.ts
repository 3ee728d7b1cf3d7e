import { type Engine, findEngine } from './engine.ts';
import { TenantNetworks } from './networks.ts';
import { type ContainerOwner, removeOrphans, spawnReaper } from './reaper.ts';
import { detectRunFlags, type RunFlags } from './run-flags.ts';
import { prepareSidecarImage, type SidecarImage } from './sidecar-image.ts';

/** How the container engine is used; absent settings are detected. */
export interface EngineSettings {
  /** `podman`, `docker` or a path of either. */
  readonly engine?: string | undefined;
  /** Additional arguments of each `run`. */
  readonly flags?: readonly string[] | undefined;
  /** Names of namespaces and of images whose containers may write to their root, or `*`; none by default. */
  readonly writableRoots?: readonly string[] | undefined;
  /** An image with Node 24 for sidecars, where the Node of this machine does not run in a Linux container. */
  readonly sidecarImage?: string | undefined;
}

/** The engine, and all that is needed to start containers with it. */
export interface EngineRuntime {
  readonly engine: Engine;
  readonly flags: RunFlags;
  readonly networks: TenantNetworks;
  /** The namespaces and images whose containers may write to their root; `*`: all. */
  readonly writableRoots: ReadonlySet<string>;
  readonly image: SidecarImage;
  readonly owner: ContainerOwner;
}

type Detected = EngineRuntime | { readonly problem: string };

/** The tenant of the container that tests which flags work. */
const DETECTION = 'detection';

/** The user may have started the engine meanwhile. */
const RETRY_MS = 5_000;

/** Detects the container engine at its first use: a service without containers needs none. */
export class EngineProvider {
  readonly #settings: EngineSettings;
  readonly #owner: ContainerOwner;
  #detected: Promise<Detected> | undefined;
  #detectedAt = 0;
  #reaper: { dismiss(): void } | undefined;

  constructor(settings: EngineSettings, owner: ContainerOwner) {
    this.#settings = settings;
    this.#owner = owner;
  }

  /** The engine, or the problem for the user. The containers of earlier processes are removed before it resolves. */
  async find(): Promise<Detected> {
    const detection = this.#detected;
    const former = await detection;
    const isStale = former === undefined || ('problem' in former && performance.now() - this.#detectedAt > RETRY_MS);
    // Another caller may have started a detection while this one waited.
    if (isStale && this.#detected === detection) {
      this.#detectedAt = performance.now();
      this.#detected = this.#detect().catch((error: unknown) => ({
        problem: `container services do not work here: ${error instanceof Error ? error.message : error}`,
      }));
    }
    return this.#detected ?? this.find();
  }

  /** Removes all containers of the installation. */
  async close(): Promise<void> {
    const found = await this.#detected;
    if (found !== undefined && 'engine' in found) {
      await removeOrphans(found.engine, this.#owner).catch(({ message }: Error) => console.error(message));
      await found.networks.removeAll();
    }
    this.#reaper?.dismiss();
  }

  async #detect(): Promise<Detected> {
    const engine = await findEngine(this.#settings.engine);
    if ('problem' in engine) return engine;
    await removeOrphans(engine, this.#owner);
    const image = await prepareSidecarImage(engine, this.#settings.sidecarImage);
    const { flags: always = [], writableRoots = [] } = this.#settings;
    const networks = new TenantNetworks(engine, this.#owner);
    await networks.removeAll();
    await networks.detect(always);
    const network = await networks.use(DETECTION);
    const found = await detectRunFlags(engine, image, { always, network });
    await networks.release(DETECTION);
    if ('problem' in found) return found;
    if (found.flags.network !== network) networks.disable();
    else if (!networks.isUsable) console.warn('containers run here with no network but their own localhost');
    for (const limitation of found.limitations) console.warn(`containers run here with ${limitation}`);
    this.#reaper = spawnReaper(engine, this.#owner);
    const { flags } = found;
    return { engine, flags, networks, writableRoots: new Set(writableRoots), image, owner: this.#owner };
  }
}
