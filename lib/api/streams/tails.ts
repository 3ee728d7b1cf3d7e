import type { Ports } from '../../ports/ports.ts';
import type { Call, NeedsOf } from '../http/call.ts';
import type { FamilyName } from '../registry/families.ts';
import type { FamilyOf, IdsOf } from '../registry/routes/index.ts';
import type { Follower } from './followers.ts';

/** One reading of a list that only grows. */
export interface Reading {
  /** The body of the plain GET; with a mark only what came after it, `results: []` when nothing did. */
  readonly reply: unknown;
  /** How far the reading came: hand it back to go on from there. URL-safe text. */
  readonly mark: string;
}

/** Reads on from a mark, or from the beginning when there is none. Throws `malformed` for a mark it did not make. */
export type Tail<Id extends FamilyIds> = (
  ports: Pick<Ports, NeedsOf<FamilyOf<Id>>>,
  call: Call<Id>,
  mark: string | undefined,
) => Promise<Reading>;

type FamilyIds = IdsOf<FamilyName>;

/** What event streams of families read with in place of the endpoint, by route, beside their endpoints. */
export type Tails<Family extends FamilyName> = { readonly [Id in IdsOf<Family>]?: Tail<Id> | Follower<Id> };
