/** Where the holders of private images are stored. */
export interface HolderStore {
  /** The tenants that fetched the image with this id with their credentials. */
  holdersOf(imageId: string): readonly string[];
  addHolder(imageId: string, tenant: string): void;
}

/**
 * The images that were fetched with credentials. The engine hands every image that it has to every tenant, so one that
 * has not fetched such an image must ask its registry.
 */
export class PrivateImages {
  readonly #store: HolderStore;
  /** The tenants that fetch an image with credentials at the moment, by its repository: its id is not known yet. */
  readonly #fetching = new Map<string, string[]>();

  constructor(store: HolderStore) {
    this.#store = store;
  }

  /** Whether a tenant may use an image of the engine without asking its registry. */
  isAvailable(imageId: string, repository: string, tenant: string): boolean {
    const holders = this.#store.holdersOf(imageId);
    if (holders.length > 0) return holders.includes(tenant);
    return (this.#fetching.get(repository) ?? []).every((other) => other === tenant);
  }

  /** Fetches an image of a repository with credentials of a tenant; `fetch` returns its id, or undefined for a failure. */
  async fetch(
    repository: string,
    tenant: string,
    fetch: () => Promise<string | undefined>,
  ): Promise<string | undefined> {
    this.#fetching.set(repository, [...(this.#fetching.get(repository) ?? []), tenant]);
    try {
      const id = await fetch();
      if (id !== undefined) this.#store.addHolder(id, tenant);
      return id;
    } finally {
      const left = this.#fetching.get(repository) ?? [];
      const others = left.toSpliced(left.indexOf(tenant), 1);
      if (others.length > 0) this.#fetching.set(repository, others);
      else this.#fetching.delete(repository);
    }
  }
}
