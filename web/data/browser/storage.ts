/** Reads a preference of this browser; undefined where there is none, or where the browser keeps nothing. */
export function readPreference(name: string): string | undefined {
  try {
    return localStorage.getItem(`weft.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a preference, or removes it when the value is undefined. */
export function keepPreference(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(`weft.${name}`);
    else localStorage.setItem(`weft.${name}`, value);
  } catch {
    // A browser that keeps nothing shows the defaults next time.
  }
}
