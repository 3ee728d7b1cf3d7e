/** Entries remembered by a process, of namespaces or runs. */
const MAX_REMEMBERED = 10_000;

/** A map that forgets the entry that was set longest ago when it has 10,000. */
export class RecentMap<Value> extends Map<string, Value> {
  override set(key: string, value: Value): this {
    super.delete(key);
    super.set(key, value);
    const oldest = this.size > MAX_REMEMBERED ? this.keys().next().value : undefined;
    if (oldest !== undefined) super.delete(oldest);
    return this;
  }
}
