import { omitUndefined } from '../../language/omit-undefined.ts';
import { list, query, required, text, transition } from '../decoding/decoders.ts';
import { type Decoded, type Fields, object } from '../decoding/object.ts';
import { defineVariant, type Variant } from '../decoding/variants.ts';
import type { Exit, StatePlan, StateType, Work } from '../plan/plan.ts';
import { identifier } from './identifiers.ts';

/** A catch list: error patterns and the states that follow (workflow-language 7.2). Messages name its elements by `field`. */
export const catchersOf = (field: string) => list(required(object({ error: required(text), transition })), { field });

/** The fields of every state (workflow-language 6). */
const COMMON_FIELDS = {
  id: identifier('state id must match the regex pattern `%`'),
  log: query,
  metadata: query,
  catch: catchersOf('errors'),
};

/** The fields of a state with one exit. */
export const EXIT_FIELDS = { transform: query, transition };

/** Returns the exit in the plan. */
export function toExit({ transform, transition: target }: Decoded<typeof EXIT_FIELDS>): Exit {
  return omitUndefined({ transform, transition: target });
}

/** The part of a state's plan that its type determines; without an exit, the work chooses one of its own. */
export interface LoweredState {
  readonly work: Work;
  readonly exit?: Exit;
}

/**
 * Defines a state type by its name, the fields that it adds to those of every state, the function from the decoded fields
 * to the plan, and its other names in the language.
 */
export function defineState<F extends Fields>(
  type: StateType,
  fields: F,
  lower: (state: Decoded<F>) => LoweredState,
  aliases: readonly string[] = [],
): Variant<StatePlan> {
  return defineVariant([type, ...aliases], { ...COMMON_FIELDS, ...fields }, (state: Decoded<typeof COMMON_FIELDS>) => ({
    id: state.id,
    type,
    ...omitUndefined({ log: state.log, metadata: state.metadata }),
    catch: state.catch.map(omitUndefined),
    exit: {},
    ...lower(state as unknown as Decoded<F>),
  }));
}
