/** What a table attribute may hold. User JSON is stored as text, never as a map (DynamoDB's 32 levels, 38 digits). */
export type Value = string | number | boolean | null | Uint8Array | Value[] | { [name: string]: Value };

export type TableName = 'catalog' | 'runs' | 'journal';

/** An item: its two key attributes and whatever else it holds. An attribute that is undefined is not stored. */
export interface Item {
  readonly pk: string;
  readonly sk: string;
  readonly [attribute: string]: Value | undefined;
}

export interface Key {
  readonly table: TableName;
  readonly pk: string;
  readonly sk: string;
}

/** All parts must hold. `absent`/`present` ask for the whole item; `equals` compares top-level attributes. */
export interface Condition {
  readonly absent?: true;
  readonly present?: true;
  readonly equals?: Readonly<Record<string, Value>>;
}

export type Write =
  | { readonly do: 'put'; readonly table: TableName; readonly item: Item; readonly when?: Condition }
  | {
      readonly do: 'update';
      readonly key: Key;
      readonly set?: Readonly<Record<string, Value | undefined>>;
      readonly remove?: readonly string[];
      readonly add?: Readonly<Record<string, number>>;
      readonly when?: Condition;
    }
  | { readonly do: 'delete'; readonly key: Key; readonly when?: Condition }
  | { readonly do: 'check'; readonly key: Key; readonly when: Condition };

/** Items of one partition in the order of their sort key; `index` names a secondary index of the table. */
export interface Query {
  readonly table: TableName;
  readonly index?: string;
  readonly pk: string;
  readonly prefix?: string;
  readonly from?: string;
  readonly to?: string;
  readonly descending?: boolean;
  /** Most items of the page; a page may hold fewer and still have a `next`. */
  readonly limit?: number;
  readonly next?: string;
  /** Only these attributes are read out (keys are always there). */
  readonly only?: readonly string[];
  /** Count without reading out: `items` is empty, `count` is set. */
  readonly count?: boolean;
}

export interface Page {
  readonly items: readonly Item[];
  readonly count: number;
  /** Opaque; hand it back in `Query.next` for the following page. Undefined: that was the last. */
  readonly next?: string;
}

/** A write's condition did not hold; nothing of the call was written. `failed` are the indexes of the writes at fault. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
  readonly failed: readonly number[];
  constructor(failed: readonly number[]) {
    super('a condition of the write did not hold');
    this.failed = failed;
  }
}

export interface Table {
  /** Strongly consistent; one call to the database for any number of keys up to 100; results in the order asked. */
  get(keys: readonly Key[]): Promise<readonly (Item | undefined)[]>;
  /** Strongly consistent on a table, eventually on an index. */
  query(query: Query): Promise<Page>;
  /** All or nothing, at most 100 writes. One write is a plain conditional write, several are one transaction. Throws ConflictError. */
  write(writes: readonly Write[]): Promise<void>;
}
