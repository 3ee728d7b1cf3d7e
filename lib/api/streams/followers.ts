import { ServiceError } from '../../domain/errors.ts';
import type { Ports } from '../../ports/ports.ts';
import type { Call, NeedsOf } from '../http/call.ts';
import type { FamilyName } from '../registry/families.ts';
import type { FamilyOf, IdsOf } from '../registry/routes/index.ts';

type FamilyIds = IdsOf<FamilyName>;
type PortsOf<Id extends FamilyIds> = Pick<Ports, NeedsOf<FamilyOf<Id>>>;

/** How often is looked after what the database does not tell of, while somebody watches, milliseconds. */
export const RECHECK_MS = 500;

/** Reads what is news since its last reading: each an event of its own, none for nothing new. */
export type Reader<Id extends FamilyIds> = (ports: PortsOf<Id>, call: Call<Id>) => Promise<readonly object[]>;

/** What an event stream reads with whose events each tell of one thing alone. */
export interface Follower<Id extends FamilyIds> {
  /** Begins the readings of one stream: what they remember is its own. */
  readonly follow: () => Reader<Id>;
  /** At latest after so many milliseconds it is read again: what is followed changes outside the database too. */
  readonly recheck: number;
}

/** Objects as they are at one moment, each by a name that stays its own. */
type Objects = ReadonlyMap<string, object>;

const isGone = (error: unknown): boolean => error instanceof ServiceError && error.code === 'not-found';

/**
 * The events that tell what became of objects between two readings (rest-api reference, 11.6): what is new, what is
 * another than before, what is gone, as it was last seen.
 */
export function differences(before: Objects, after: Objects): object[] {
  const present = [...after].flatMap(([name, object]) => {
    const old = before.get(name);
    if (old === undefined) return [{ event: 'ADDED', ...object }];
    return JSON.stringify(old) === JSON.stringify(object) ? [] : [{ event: 'MODIFIED', ...object }];
  });
  const gone = [...before].filter(([name]) => !after.has(name));
  return [...present, ...gone.map(([, object]) => ({ event: 'DELETED', ...object }))];
}

/**
 * A stream that begins with an `ADDED` for each object that is there and goes on with what becomes of them. When what
 * holds them is gone, that is the end: first of the objects, then of the stream.
 */
export function following<Id extends FamilyIds>(
  read: (ports: PortsOf<Id>, call: Call<Id>) => Promise<Objects>,
): Follower<Id> {
  const follow = (): Reader<Id> => {
    let before: Objects = new Map();
    return async (ports, call) => {
      const after = await read(ports, call).catch((error: unknown): Objects => {
        if (isGone(error) && before.size > 0) return new Map();
        throw error;
      });
      const news = differences(before, after);
      before = after;
      return news;
    };
  };
  return { follow, recheck: RECHECK_MS };
}
