/** The value of an attribute. User JSON is stored as text, never as a map (DynamoDB's 32 levels, 38 digits). */
export type Value = string | number | boolean | null | Uint8Array | Value[] | { [name: string]: Value };

export type TableName = 'catalog' | 'runs' | 'journal';

/** An item: its two key attributes and further attributes. An attribute that is undefined is not stored. */
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

/** All parts must hold. `absent` and `present` are about the whole item; `equals` compares top-level attributes. */
export interface Condition {
  readonly absent?: true;
  readonly present?: true;
  readonly equals?: Readonly<Record<string, Value>>;
}

export type Write =
  | {
      readonly do: 'put';
      readonly table: TableName;
      readonly item: Item;
      readonly when?: Condition | undefined;
    }
  | {
      readonly do: 'update';
      readonly key: Key;
      readonly set?: Readonly<Record<string, Value | undefined>>;
      readonly remove?: readonly string[];
      readonly add?: Readonly<Record<string, number>>;
      readonly when?: Condition | undefined;
    }
  | { readonly do: 'delete'; readonly key: Key; readonly when?: Condition | undefined }
  | { readonly do: 'check'; readonly key: Key; readonly when: Condition };

/** A condition on an attribute that is a text; another attribute, or none, does not meet it. */
export interface TextCondition {
  readonly attribute: string;
  readonly is: 'equal to' | 'beginning with' | 'containing';
  /** Not empty. */
  readonly text: string;
}

/** A condition on items: of each group, at least one condition is met. */
export type Where = readonly (readonly TextCondition[])[];

/**
 * Items of one partition in the order of their sort key; `index` names a secondary index of the table. An optional part
 * that is undefined is absent.
 */
export interface Query {
  readonly table: TableName;
  readonly index?: string | undefined;
  readonly pk: string;
  readonly prefix?: string | undefined;
  /** The first and the last sort key; both are included. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly descending?: boolean | undefined;
  /** The maximum number of items of the page; a page with fewer can still have a `next`. */
  readonly limit?: number | undefined;
  readonly next?: string | undefined;
  /**
   * Only the items that meet this are returned and counted. In an index, only projected attributes can be named. An item
   * that does not meet it may count towards `limit`, and costs as much as one that does.
   */
  readonly where?: Where | undefined;
  /** Only these attributes are returned (and always the keys). */
  readonly only?: readonly string[] | undefined;
  /** Count without reading: `items` is empty, `count` is set. */
  readonly count?: boolean | undefined;
}

export interface Page {
  readonly items: readonly Item[];
  readonly count: number;
  /** An opaque cursor: `Query.next` of the following page. Undefined: this is the last page. */
  readonly next?: string;
}

/** The maximum number of keys of one `get`, and of writes of one `write`. */
export const BATCH_LIMIT = 100;

/** A write's condition did not hold; no write of the call was made. `failed` are the indexes of the writes at fault. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
  readonly failed: readonly number[];
  constructor(failed: readonly number[]) {
    super('a condition of the write did not hold');
    this.failed = failed;
  }
}

/** The database could not be reached, also not by repeated attempts: a later call may succeed. */
export class UnreachableTableError extends Error {
  override readonly name = 'UnreachableTableError';
}

export interface Table {
  /**
   * Returns items in the order of the keys, undefined where there is none. Strongly consistent; one call to the database
   * for any number of keys up to 100. Throws Error for more.
   */
  get(keys: readonly Key[]): Promise<readonly (Item | undefined)[]>;
  /** Returns a page. Strongly consistent on a table, eventually consistent on an index. */
  query(query: Query): Promise<Page>;
  /**
   * Writes all or nothing, at most 100 writes. One write is a plain conditional write, several are one transaction.
   * Throws ConflictError when a condition does not hold.
   */
  write(writes: readonly Write[]): Promise<void>;
  /**
   * A number that changes with every write to the partition of a table, so that items read under the same number are
   * still valid. Absent where it is not known without a read, because other processes write too.
   */
  readonly generation?: (table: TableName, pk: string) => number;
  /**
   * As `get`, for items that very many processes read: it may answer from memory. The answer contains all changes that
   * were written before the call. Absent: reads need not be saved.
   */
  readonly getLeased?: Table['get'];
  /**
   * Returns the partition keys, of tables and their indexes, whose writes by this process were throttled because one key takes
   * no more a second, and forgets them; only those that are wanted. Absent: keys have no such limit.
   */
  readonly takeThrottled?: (isWanted: (pk: string) => boolean) => readonly string[];
}

/** The table, whose items are read with `getLeased` where it has it. */
export const leased = (table: Table): Table =>
  table.getLeased === undefined ? table : { ...table, get: table.getLeased };
