import type { CloudEvent } from '../../events/cloud-event.ts';
import { attributeOf, literalOf, matches } from '../../events/matching.ts';
import type { Listener } from './listeners.ts';

/** The listeners of one type, by the first literal text that each of them demands of an attribute. */
export class ListenerIndex {
  /** In their order. */
  readonly all: readonly Listener[];
  /** By attribute, then by the text. */
  readonly #byText = new Map<string, Map<string, Listener[]>>();
  /** Those that demand no literal text. */
  readonly #others: Listener[] = [];

  constructor(all: readonly Listener[]) {
    this.all = all;
    for (const listener of all) {
      const literal = literalOf(listener.filter);
      if (literal === undefined) this.#others.push(listener);
      else this.#add(literal, listener);
    }
  }

  get size(): number {
    return this.all.length;
  }

  /** The listeners whose filters match the event, in their order. */
  matching(event: CloudEvent): Listener[] {
    const found = [...this.#byText].flatMap(([attribute, byText]) => {
      const value = attributeOf(event, attribute);
      if (typeof value === 'string') return byText.get(value) ?? [];
      // A value of another type than text matches any text.
      return value === undefined ? [] : [...byText.values()].flat();
    });
    const candidates = [...this.#others, ...found].filter(({ filter }) => matches(filter, event));
    return candidates.sort((a, b) => (a.at < b.at ? -1 : 1));
  }

  #add({ attribute, text }: { readonly attribute: string; readonly text: string }, listener: Listener): void {
    const byText = this.#byText.get(attribute) ?? new Map<string, Listener[]>();
    this.#byText.set(attribute, byText);
    const same = byText.get(text);
    if (same === undefined) byText.set(text, [listener]);
    else same.push(listener);
  }
}
