import { type Engine, findEngine } from './engine.ts';
import { type Owner, removeLeftovers, spawnGuard } from './leftovers.ts';
import { findRunFlags, type RunFlags } from './run-flags.ts';
import { makeSidecarImage, type SidecarImage } from './sidecar-image.ts';

/** How the engine is to be used; what is not given is found out. */
export interface EngineSettings {
  /** `podman`, `docker` or a path of either. */
  readonly engine?: string | undefined;
  /** Further words for each `run`. */
  readonly flags?: readonly string[] | undefined;
  /** An image with Node 24 for the process beside each container, where this machine's own Node does not run in one. */
  readonly sidecarImage?: string | undefined;
}

/** All that containers need of this machine. */
export interface Workplace {
  readonly engine: Engine;
  readonly flags: RunFlags;
  readonly image: SidecarImage;
  readonly owner: Owner;
}

type Found = Workplace | { readonly problem: string };

/** A user may have started the engine since. */
const RETRY_MS = 5_000;

/** Finds the workplace when it is first needed: a service without containers needs no engine, and asks for none. */
export class Workplaces {
  readonly #settings: EngineSettings;
  readonly #owner: Owner;
  #found: Promise<Found> | undefined;
  #foundAt = 0;
  #guard: { dismiss(): void } | undefined;

  constructor(settings: EngineSettings, owner: Owner) {
    this.#settings = settings;
    this.#owner = owner;
  }

  /** What a former process left is removed by the time it resolves. */
  async find(): Promise<Found> {
    const search = this.#found;
    const former = await search;
    const isStale = former === undefined || ('problem' in former && performance.now() - this.#foundAt > RETRY_MS);
    // Another caller may have begun while this one waited.
    if (isStale && this.#found === search) {
      this.#foundAt = performance.now();
      this.#found = this.#search().catch((error: unknown) => ({
        problem: `container services do not work here: ${error instanceof Error ? error.message : error}`,
      }));
    }
    return this.#found ?? this.find();
  }

  async close(): Promise<void> {
    const found = await this.#found;
    if (found !== undefined && 'engine' in found) await removeLeftovers(found.engine, this.#owner);
    this.#guard?.dismiss();
  }

  async #search(): Promise<Found> {
    const engine = await findEngine(this.#settings.engine);
    if ('problem' in engine) return engine;
    await removeLeftovers(engine, this.#owner);
    const image = await makeSidecarImage(engine, this.#settings.sidecarImage);
    const found = await findRunFlags(engine, image, this.#settings.flags ?? []);
    if ('problem' in found) return found;
    for (const loss of found.losses) console.warn(`containers run here with ${loss}`);
    this.#guard = spawnGuard(engine, this.#owner);
    return { engine, flags: found.flags, image, owner: this.#owner };
  }
}
