const CLOSES: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/**
 * True when a jq script surely ends outside of every string, comment and bracket it opens, and closes none that it did
 * not open: then it means the same inside a larger program. False when in doubt.
 */
export function isClosed(source: string): boolean {
  if (/[#\\]/.test(source)) return false;
  const open: string[] = [];
  for (const [token] of source.replace(/"[^"]*"/g, '').matchAll(/["()[\]{}]/g)) {
    if (token === '"') return false;
    const opener = CLOSES[token];
    if (opener === undefined) open.push(token);
    else if (open.pop() !== opener) return false;
  }
  return open.length === 0;
}
