/** Reads a preference of this browser; undefined if it is not set or the browser has no storage. */
export function readPreference(name: string): string | undefined {
  try {
    return localStorage.getItem(`weft.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Stores a preference, or removes it if the value is undefined. */
export function keepPreference(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(`weft.${name}`);
    else localStorage.setItem(`weft.${name}`, value);
  } catch {
    // A browser without storage shows the defaults next time.
  }
}
