import type { ContainerRevision, RegistryCredentials } from '../../../ports/containers.ts';
import type { Sealer } from '../../../ports/sealer.ts';
import { ConflictError, type Item, type Key, type Table } from '../../../ports/table.ts';
import type { Architecture } from './wrapping.ts';

/** What a revision is to become: it is made ready to run, or it is taken away. */
export type Wanted = 'running' | 'gone';

/** How far a revision is. Each turn is the work on one wish, and stands in the way of all that came before it. */
export interface RevisionRecord {
  readonly id: string;
  readonly turn: number;
  readonly wanted: Wanted;
  readonly state: 'preparing' | 'ready' | 'failed';
  readonly reason: string;
  readonly message: string;
  /** When it was last worked on, milliseconds since 1970. */
  readonly at: number;
  readonly revision: Omit<ContainerRevision, 'credentials'>;
  /** Once its image is in the account's own registry. */
  readonly digest?: string;
  readonly architecture?: Architecture;
  /** Once it can be called: the ARN of the function's version, and how it speaks. */
  readonly version?: string;
  readonly speech?: number;
}

/**
 * How calls and what runs beside a container speak with each other. Another number where a container that was made
 * before would not understand (docs/decisions/029).
 */
export const SPEECH = 1;

export interface RecordsOptions {
  readonly table: Table;
  /** Asked for when there are credentials to keep. */
  readonly sealer: () => Sealer;
  readonly now: () => number;
}

/** Beside the keys of the domain: nothing of it begins so. */
const keyOf = (id: string): Key => ({ table: 'catalog', pk: `container#${id}`, sk: '.' });
const bindingOf = (id: string) => ({ kind: 'container', name: id });

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** One that speaks otherwise has failed: who needs it next has it prepared again. */
function standingOf(item: Item): Pick<RevisionRecord, 'state' | 'reason' | 'message'> {
  if (item['state'] === 'ready' && item['speech'] !== SPEECH) {
    const message = 'it was made by another version of Weft; its next call has it made again';
    return { state: 'failed', reason: 'Outdated', message };
  }
  const { state, reason, message } = item;
  return { state: state as RevisionRecord['state'], reason: String(reason), message: String(message) };
}

function fromItem(item: Item): RevisionRecord {
  const [digest, version] = [text(item['digest']), text(item['version'])];
  const architecture = text(item['architecture']) as Architecture | undefined;
  return {
    id: String(item['id']),
    turn: Number(item['turn']),
    wanted: item['wanted'] as Wanted,
    ...standingOf(item),
    at: Number(item['at']),
    revision: JSON.parse(String(item['revision'])) as RevisionRecord['revision'],
    ...(digest === undefined ? {} : { digest }),
    ...(architecture === undefined ? {} : { architecture }),
    ...(version === undefined ? {} : { version }),
  };
}

/** Where revisions stand, in the catalog. Credentials are sealed, and kept no longer than it takes to use them. */
export class Records {
  readonly #options: RecordsOptions;

  constructor(options: RecordsOptions) {
    this.#options = options;
  }

  async find(ids: readonly string[]): Promise<readonly (RevisionRecord | undefined)[]> {
    const { table } = this.#options;
    const found: (RevisionRecord | undefined)[] = [];
    for (let at = 0; at < ids.length; at += MOST_KEYS) {
      const items = await table.get(ids.slice(at, at + MOST_KEYS).map(keyOf));
      found.push(...items.map((item) => item && fromItem(item)));
    }
    return found;
  }

  /** Begins a turn that makes the revision run; undefined: somebody else began one at this moment. */
  async begin(
    { credentials, ...revision }: ContainerRevision,
    former: RevisionRecord | undefined,
  ): Promise<RevisionRecord | undefined> {
    const { id } = revision;
    const record = this.#turned(former, { id, revision, wanted: 'running' });
    const sealed = credentials.length === 0 ? {} : await this.#seal(id, credentials);
    const { pk, sk } = keyOf(id);
    const item: Item = { pk, sk, ...record, revision: JSON.stringify(revision), ...sealed };
    return this.#put(item, former, record);
  }

  /** Begins a turn with the same wish, or the wish that it be gone. */
  async turn(former: RevisionRecord, wanted: Wanted): Promise<RevisionRecord | undefined> {
    const record = this.#turned(former, { ...former, wanted });
    const { turn, state, reason, message, at } = record;
    const set = { turn, state, reason, message, at, wanted };
    const remove = wanted === 'gone' ? { remove: SECRETS } : {};
    const done = await this.#write({ do: 'update', key: keyOf(former.id), set, ...remove, when: whileTurn(former) });
    return done ? record : undefined;
  }

  /** Notes how far the turn is. False: it is no longer the last one. */
  async note(record: RevisionRecord, change: Partial<RevisionRecord>): Promise<boolean> {
    const { revision: _, ...set } = { ...change, at: this.#options.now() };
    const remove = (change.state ?? 'preparing') === 'preparing' ? {} : { remove: SECRETS };
    return this.#write({ do: 'update', key: keyOf(record.id), set, ...remove, when: whileTurn(record) });
  }

  async forget(record: RevisionRecord): Promise<boolean> {
    return this.#write({ do: 'delete', key: keyOf(record.id), when: whileTurn(record) });
  }

  /** Those with which the turn began. */
  async credentialsOf(id: string): Promise<readonly RegistryCredentials[]> {
    const { table, sealer } = this.#options;
    const [item] = await table.get([keyOf(id)]);
    if (item?.['sealed'] === undefined) return [];
    const key = { sealed: item['dataKey'] as Uint8Array, binding: bindingOf(id) };
    const opened = await sealer().open(key, item['sealed'] as Uint8Array, bindingOf(id));
    return JSON.parse(Buffer.from(opened).toString('utf8')) as RegistryCredentials[];
  }

  #turned(
    former: RevisionRecord | undefined,
    wish: Pick<RevisionRecord, 'id' | 'revision' | 'wanted'>,
  ): RevisionRecord {
    const { id, revision, wanted } = wish;
    const at = this.#options.now();
    // By the clock, so that no turn has the number of one of a revision that was forgotten.
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

  async #put(
    item: Item,
    former: RevisionRecord | undefined,
    record: RevisionRecord,
  ): Promise<RevisionRecord | undefined> {
    const when = former === undefined ? ({ absent: true } as const) : whileTurn(former);
    return (await this.#write({ do: 'put', table: 'catalog', item, when })) ? record : undefined;
  }

  async #write(write: Parameters<Table['write']>[0][number]): Promise<boolean> {
    try {
      await this.#options.table.write([write]);
      return true;
    } catch (error) {
      if (error instanceof ConflictError) return false;
      throw error;
    }
  }
}

/** What one reading of the table takes. */
const MOST_KEYS = 100;
const SECRETS = ['sealed', 'dataKey'];

const whileTurn = ({ turn }: RevisionRecord) => ({ equals: { turn } });
