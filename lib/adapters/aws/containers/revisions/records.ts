import { parseJson } from '../../../../language/json-numbers.ts';
import type { ContainerRevision, RegistryCredentials } from '../../../../ports/containers.ts';
import type { Sealer } from '../../../../ports/sealer.ts';
import { ConflictError, type Item, type Key, type Table, type Write } from '../../../../ports/table.ts';
import type { Architecture } from '../images/manifests.ts';

/** The desired state of a revision: it can be called, or it does not exist. */
export type DesiredState = 'running' | 'gone';

/** A revision in the catalog: its desired state, and how far the reconciliation is. */
export interface RevisionRecord {
  readonly id: string;
  /** The generation: each desired state has a higher number than those before, whose reconciliation ends. */
  readonly turn: number;
  readonly wanted: DesiredState;
  readonly state: 'preparing' | 'ready' | 'failed';
  readonly reason: string;
  readonly message: string;
  /** The time of the last change, milliseconds since 1970. */
  readonly at: number;
  readonly revision: Omit<ContainerRevision, 'credentials'>;
  /** Set when the image is in the account's own registry. */
  readonly digest?: string;
  readonly architecture?: Architecture;
  /** Set when the revision can be called: the ARN of the function's version, and its PROTOCOL_VERSION. */
  readonly version?: string;
  readonly protocol?: number;
}

/**
 * The version of the protocol between the service and the sidecar of a container on Lambda. To be raised when the
 * sidecar in earlier images would not understand the service (docs/decisions/029).
 */
export const PROTOCOL_VERSION = 1;

/** The options of the records of revisions. */
export interface RecordsOptions {
  readonly table: Table;
  /** Called when there are credentials to seal or to open. */
  readonly sealer: () => Sealer;
  readonly now: () => number;
}

/** The most keys of one read. */
const MAX_KEYS = 100;
const SECRETS = ['sealed', 'dataKey'];

/** No key of the domain begins with `container#`. */
const keyOf = (id: string): Key => ({ table: 'catalog', pk: `container#${id}`, sk: '.' });
const bindingOf = (id: string) => ({ kind: 'container', name: id });
const ifCurrent = ({ turn }: RevisionRecord) => ({ equals: { turn } });
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The records of revisions in the catalog. Credentials are sealed, and removed as soon as they were used. */
export class RevisionRecords {
  readonly #options: RecordsOptions;

  constructor(options: RecordsOptions) {
    this.#options = options;
  }

  /** The records of these revisions, in the order of the ids; undefined where there is none. */
  async find(ids: readonly string[]): Promise<readonly (RevisionRecord | undefined)[]> {
    const { table } = this.#options;
    const found: (RevisionRecord | undefined)[] = [];
    for (let at = 0; at < ids.length; at += MAX_KEYS) {
      const items = await table.get(ids.slice(at, at + MAX_KEYS).map(keyOf));
      found.push(...items.map((item) => item && fromItem(item)));
    }
    return found;
  }

  /**
   * Stores a revision with the desired state `running`. Returns undefined when another process changed the record
   * after `former` was read.
   */
  async create(
    { credentials, ...revision }: ContainerRevision,
    former: RevisionRecord | undefined,
  ): Promise<RevisionRecord | undefined> {
    const { id } = revision;
    const record = this.#nextTurn(former, { id, revision, wanted: 'running' });
    const sealed = credentials.length === 0 ? {} : await this.#seal(id, credentials);
    const { pk, sk } = keyOf(id);
    const item: Item = { pk, sk, ...record, revision: JSON.stringify(revision), ...sealed };
    const when = former === undefined ? ({ absent: true } as const) : ifCurrent(former);
    return (await this.#write({ do: 'put', table: 'catalog', item, when })) ? record : undefined;
  }

  /** Starts another turn. Returns undefined when another process changed the record after `former` was read. */
  async restart(former: RevisionRecord, wanted: DesiredState): Promise<RevisionRecord | undefined> {
    const record = this.#nextTurn(former, { ...former, wanted });
    const { turn, state, reason, message, at } = record;
    const set = { turn, state, reason, message, at, wanted };
    const remove = wanted === 'gone' ? { remove: SECRETS } : {};
    const isDone = await this.#write({ do: 'update', key: keyOf(former.id), set, ...remove, when: ifCurrent(former) });
    return isDone ? record : undefined;
  }

  /** Stores the progress of a turn. Returns false when a later turn was started. */
  async update(record: RevisionRecord, change: Partial<RevisionRecord>): Promise<boolean> {
    const { revision: _, ...set } = { ...change, at: this.#options.now() };
    const remove = (change.state ?? 'preparing') === 'preparing' ? {} : { remove: SECRETS };
    return this.#write({ do: 'update', key: keyOf(record.id), set, ...remove, when: ifCurrent(record) });
  }

  /** Deletes the record. Returns false when a later turn was started. */
  async remove(record: RevisionRecord): Promise<boolean> {
    return this.#write({ do: 'delete', key: keyOf(record.id), when: ifCurrent(record) });
  }

  /** The credentials with which the turn was started. */
  async credentialsOf(id: string): Promise<readonly RegistryCredentials[]> {
    const { table, sealer } = this.#options;
    const [item] = await table.get([keyOf(id)]);
    if (item?.['sealed'] === undefined) return [];
    const key = { sealed: item['dataKey'] as Uint8Array, binding: bindingOf(id) };
    const opened = await sealer().open(key, item['sealed'] as Uint8Array, bindingOf(id));
    return parseJson(Buffer.from(opened).toString('utf8')) as RegistryCredentials[];
  }

  #nextTurn(
    former: RevisionRecord | undefined,
    { id, revision, wanted }: Pick<RevisionRecord, 'id' | 'revision' | 'wanted'>,
  ): RevisionRecord {
    const at = this.#options.now();
    // Not below the clock, so that no turn has the number of a turn of a record that was deleted.
    const turn = Math.max((former?.turn ?? 0) + 1, at);
    return { id, revision, wanted, turn, state: 'preparing', reason: '', message: '', at };
  }

  async #seal(id: string, credentials: readonly RegistryCredentials[]) {
    const binding = bindingOf(id);
    const sealer = this.#options.sealer();
    const key = await sealer.newDataKey(binding);
    const bytes = Buffer.from(JSON.stringify(credentials));
    return { dataKey: key.sealed, sealed: await sealer.seal(key, bytes, binding) };
  }

  async #write(write: Write): Promise<boolean> {
    try {
      await this.#options.table.write([write]);
      return true;
    } catch (error) {
      if (error instanceof ConflictError) return false;
      throw error;
    }
  }
}

function fromItem(item: Item): RevisionRecord {
  const [digest, version] = [text(item['digest']), text(item['version'])];
  const architecture = text(item['architecture']) as Architecture | undefined;
  return {
    id: String(item['id']),
    turn: Number(item['turn']),
    wanted: item['wanted'] as DesiredState,
    ...conditionOf(item),
    at: Number(item['at']),
    revision: parseJson(String(item['revision'])) as RevisionRecord['revision'],
    ...(digest === undefined ? {} : { digest }),
    ...(architecture === undefined ? {} : { architecture }),
    ...(version === undefined ? {} : { version }),
  };
}

/** A ready revision with another protocol version counts as failed, so that its next use prepares it again. */
function conditionOf(item: Item): Pick<RevisionRecord, 'state' | 'reason' | 'message'> {
  if (item['state'] === 'ready' && item['protocol'] !== PROTOCOL_VERSION) {
    const message = 'another version of Weft prepared it; its next call prepares it again';
    return { state: 'failed', reason: 'Outdated', message };
  }
  const { state, reason, message } = item;
  return { state: state as RevisionRecord['state'], reason: String(reason), message: String(message) };
}
