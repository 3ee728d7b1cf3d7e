import { createHash } from 'node:crypto';
import { type Engine, lastLine } from './engine.ts';
import { type ContainerOwner, INSTALLATION } from './reaper.ts';

/** How the pods of different tenants are kept apart. */
type Networking =
  /** Each tenant has a network: the engine blocks traffic between networks. */
  | 'tenant'
  /** The engine gives each pod a network of its own. */
  | 'pod'
  /** The engine's options name the network of all pods. */
  | 'given'
  /** No network can be created here. */
  | 'none';

/** The flags of each engine that block the traffic between pods; docker keeps its networks apart by itself. */
const ISOLATION = {
  podman: ['--opt', 'isolate=true'],
  docker: ['--opt', 'com.docker.network.bridge.enable_icc=false'],
} as const;

const NETWORK_OPTION = /^--net(work)?(=|$)/;
const EXISTS = /already exists/i;
const HASH_LENGTH = 16;

const NO_NETWORK: readonly string[] = ['--network', 'none'];

/** Networks of tenants in which pods start: none reaches the pods of another tenant or the loopback of the host. */
export class TenantNetworks {
  readonly #engine: Engine;
  readonly #owner: ContainerOwner;
  #networking: Networking = 'none';
  /** The pods that use a network, by its tenant, and its last change: creation and removal must not overlap. */
  readonly #users = new Map<string, number>();
  readonly #changes = new Map<string, Promise<void>>();

  constructor(engine: Engine, owner: ContainerOwner) {
    this.#engine = engine;
    this.#owner = owner;
  }

  /** Detects how pods can be kept apart; `flags` are the options of each `run`. */
  async detect(flags: readonly string[]): Promise<void> {
    this.#networking = await this.#detect(flags);
  }

  /** Uses no network from now on: the engine cannot start containers in one. */
  disable(): void {
    this.#networking = 'none';
  }

  /** Whether pods have another network than their own localhost. */
  get isUsable(): boolean {
    return this.#networking !== 'none';
  }

  /**
   * Arguments of `run` for the pod of a tenant, whose network exists until each pod has been released.
   * @throws Error when the network cannot be created.
   */
  async use(tenant: string): Promise<readonly string[]> {
    if (this.#networking === 'none') return NO_NETWORK;
    if (this.#networking !== 'tenant') return [];
    const users = (this.#users.get(tenant) ?? 0) + 1;
    this.#users.set(tenant, users);
    if (users === 1) await this.#change(tenant, () => this.#create(tenant));
    else await this.#changes.get(tenant);
    return ['--network', this.#nameOf(tenant)];
  }

  /** Ends the use of a pod; the network of a tenant without pods is removed. */
  async release(tenant: string): Promise<void> {
    const users = (this.#users.get(tenant) ?? 0) - 1;
    if (users > 0) this.#users.set(tenant, users);
    else this.#users.delete(tenant);
    if (users !== 0) return;
    await this.#change(tenant, async () => {
      // A pod may have started meanwhile. A network that cannot be removed is removed at the next start.
      if (!this.#users.has(tenant)) await this.#engine.run(['network', 'rm', this.#nameOf(tenant)]);
    });
  }

  /** Removes the networks of the installation, which no container uses any more. */
  async removeAll(): Promise<void> {
    const filter = ['--filter', `label=${INSTALLATION}=${this.#owner.installation}`];
    const { stdout } = await this.#engine.run(['network', 'ls', '-q', ...filter]);
    const names = stdout.split(/\s+/).filter((name) => name !== '');
    if (names.length > 0) await this.#engine.run(['network', 'rm', ...names]);
  }

  async #detect(flags: readonly string[]): Promise<Networking> {
    if (flags.some((flag) => NETWORK_OPTION.test(flag))) return 'given';
    if (this.#engine.kind === 'podman') {
      const { stdout } = await this.#engine.run(['info', '--format', '{{.Host.Security.Rootless}}']);
      // Without root, podman connects each pod to the outside by a process of its own.
      if (stdout.trim() === 'true') return 'pod';
    }
    const created = await this.#create('detection').then(
      () => true,
      () => false,
    );
    await this.#engine.run(['network', 'rm', this.#nameOf('detection')]);
    return created ? 'tenant' : 'none';
  }

  /** Runs the changes of a network one after the other. */
  #change(tenant: string, change: () => Promise<void>): Promise<void> {
    const former = this.#changes.get(tenant) ?? Promise.resolve();
    const next = former.catch(() => undefined).then(change);
    this.#changes.set(tenant, next);
    return next;
  }

  async #create(tenant: string): Promise<void> {
    const label = ['--label', `${INSTALLATION}=${this.#owner.installation}`];
    const { kind } = this.#engine;
    const { code, stderr } = await this.#engine.run([
      ...['network', 'create', ...label, ...ISOLATION[kind], this.#nameOf(tenant)],
    ]);
    if (code !== 0 && !EXISTS.test(stderr)) throw new Error(`${kind} cannot create a network: ${lastLine(stderr)}`);
  }

  #nameOf(tenant: string): string {
    const hash = createHash('sha256').update(`${this.#owner.installation} ${tenant}`).digest('hex');
    return `weft-${hash.slice(0, HASH_LENGTH)}`;
  }
}
