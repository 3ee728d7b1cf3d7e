import { Draft, type Key, type Place } from '../operations/paths.ts';
import { UnknownOutcomeError } from '../operations/run.ts';
import { collect, type Emit, mapOutputs, type Part, single } from './parts.ts';

type Places = NonNullable<Part['places']>;

function placesOf({ places }: Part): Places {
  if (places === undefined) throw new UnknownOutcomeError();
  return places;
}

function visit(places: Places, data: unknown, emit: Emit<Place>): void {
  places({ keys: [], value: data }, emit);
}

/** `paths = value`. */
export function assign(paths: Part, value: Part): Part {
  const places = placesOf(paths);
  return mapOutputs(value, (to, data) => {
    const draft = new Draft(data);
    visit(places, data, ({ keys }) => draft.set(keys, to));
    return draft.root;
  });
}

/** Puts what becomes of each value into its place; where nothing does, the place is removed in the end. */
function modify(places: Places, data: unknown, update: (value: unknown) => readonly unknown[]): unknown {
  const draft = new Draft(data);
  const removed: (readonly Key[])[] = [];
  visit(places, data, ({ keys }) => {
    const outputs = update(draft.get(keys));
    if (outputs.length > 0) draft.set(keys, outputs[0]);
    else removed.push(keys);
  });
  draft.remove(removed);
  return draft.root;
}

/** `paths |= update`: the first output counts, and none removes. */
export function modifyBy(paths: Part, update: Part): Part {
  const places = placesOf(paths);
  const { one } = update;
  const run = (value: unknown): readonly unknown[] => {
    if (one !== undefined) return [one(value)];
    const { outputs, failure } = collect<unknown>((emit) => update.each(value, emit));
    if (failure !== undefined && outputs.length === 0) throw failure;
    return outputs;
  };
  return single((data) => modify(places, data, run));
}

/** `paths += value` and its like. */
export function modifyWith(paths: Part, value: Part, operate: (old: unknown, value: unknown) => unknown): Part {
  const places = placesOf(paths);
  return mapOutputs(value, (operand, data) => modify(places, data, (old) => [operate(old, operand)]));
}

/** `del(paths)`. */
export function removeAll(paths: Part): Part {
  const places = placesOf(paths);
  return single((data) => {
    const removed: (readonly Key[])[] = [];
    visit(places, data, ({ keys }) => removed.push(keys));
    const draft = new Draft(data);
    draft.remove(removed);
    return draft.root;
  });
}
