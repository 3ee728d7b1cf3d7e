import type { Exit, StatePlan, Work } from '../plan/plan.ts';
import { given } from '../read/given.ts';
import { defineKind, type Kind } from '../read/kind.ts';
import { type Fields, type Read, record } from '../read/record.ts';
import { list, needed, query, text, transition } from '../read/shape.ts';
import { identifier } from './names.ts';

const catcher = record({ error: needed(text), transition });

/** Where a state goes when it fails. */
export const catchers = list(needed(catcher), { slot: 'errors' });

/** What every state may have (workflow-language 6). */
const COMMON = {
  id: identifier('state id must match the regex pattern `%`'),
  log: query,
  metadata: query,
  catch: catchers,
};

/** The way out of a state that has only one. */
export const ONWARD = { transform: query, transition };

export function toExit({ transform, transition: target }: Read<typeof ONWARD>): Exit {
  return given({ transform, transition: target });
}

/** What a state type adds to what all states have: its work, and its exit unless the work chooses one. */
export interface Lowered {
  readonly work: Work;
  readonly exit?: Exit;
}

/** A state type is its names, its fields, and what it becomes; what all states have is added here. */
export function defineState<F extends Fields>(
  names: string | readonly [string, ...string[]],
  fields: F,
  lower: (state: Read<F>) => Lowered,
): Kind<StatePlan> {
  const known = typeof names === 'string' ? ([names] as const) : names;
  return defineKind(known, { ...COMMON, ...fields }, (state: Read<typeof COMMON>) => ({
    id: state.id,
    type: known[0],
    ...given({ log: state.log, metadata: state.metadata }),
    catch: state.catch.map(given),
    exit: {},
    ...lower(state as unknown as Read<F>),
  }));
}
