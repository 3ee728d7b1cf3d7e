import type { Condition, Item, Value } from '../../../ports/table.ts';
import { MAX_COMPARED } from './limits.ts';

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether two attributes are equal as DynamoDB compares them: the order of a map's names does not count. */
export function isEqual(a: Value | undefined, b: Value): boolean {
  if (a === b) return true;
  if (!isContainer(a) || !isContainer(b)) return false;
  if (a instanceof Uint8Array || b instanceof Uint8Array) {
    return a instanceof Uint8Array && b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  }
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return left.size === right.size && [...left].every(([name, value]) => isEqualIn(right, name, value));
}

function isEqualIn(others: ReadonlyMap<string, Value>, name: string, value: Value): boolean {
  const other = others.get(name);
  return other !== undefined && isEqual(value, other);
}

/** Whether a condition holds for an item; `undefined` is a missing item. */
export function holds(condition: Condition | undefined, item: Item | undefined): boolean {
  if (condition === undefined) return true;
  const { absent, present, equals } = condition;
  if (absent === true && item !== undefined) return false;
  if (present === true && item === undefined) return false;
  if (equals === undefined) return true;
  return Object.entries(equals).every(
    ([name, value]) => item !== undefined && Object.hasOwn(item, name) && isEqual(item[name], value),
  );
}

/** Throws Error for a condition that DynamoDB rejects. */
export function checkCondition(condition: Condition | undefined): void {
  const compared = Object.keys(condition?.equals ?? {}).length;
  if (compared > MAX_COMPARED) throw new Error(`a condition compares ${compared} attributes; at most ${MAX_COMPARED}`);
}

/** Whether a condition demands anything. */
export function asks({ absent, present, equals }: Condition): boolean {
  return absent === true || present === true || Object.keys(equals ?? {}).length > 0;
}
