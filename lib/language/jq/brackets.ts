import { ownMember } from '../own-members.ts';

const CLOSES: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/**
 * True when a jq program certainly closes every string and bracket that it opens, and no other, so that it has the same
 * meaning as a part of a larger program. False when in doubt, for example for a program with a comment.
 */
export function isSelfContained(source: string): boolean {
  if (/[#\\]/.test(source)) return false;
  const open: string[] = [];
  for (const [token] of source.replace(/"[^"]*"/g, '').matchAll(/["()[\]{}]/g)) {
    if (token === '"') return false;
    const opener = ownMember(CLOSES, token);
    if (opener === undefined) open.push(token);
    else if (open.pop() !== opener) return false;
  }
  return open.length === 0;
}
