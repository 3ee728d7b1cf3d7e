/** The lines of a state in a source, counted from 1; undefined if it is not found. */
export function linesOfState(source: string, id: string): { readonly from: number; readonly to: number } | undefined {
  const lines = source.split('\n');
  const begins = (line: string): RegExpExecArray | null => /^(\s*)-\s+(?:\{\s*)?(\w+)\s*:\s*(.*)$/.exec(line);
  const escaped = id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const named = new RegExp(`\\bid\\s*:\\s*['"]?${escaped}['"]?\\s*(?:[,}#].*)?$`);
  let start = -1;
  let indent = -1;
  for (const [index, line] of lines.entries()) {
    const found = begins(line);
    const depth = found?.[1]?.length ?? -1;
    if (found !== null && (indent < 0 || depth <= indent)) {
      start = index;
      indent = depth;
    }
    if (start >= 0 && named.test(line)) return { from: start + 1, to: endOf(lines, start, indent) };
  }
  return undefined;
}

function endOf(lines: readonly string[], start: number, indent: number): number {
  const isOutside = (line: string): boolean => /\S/.test(line) && (/^\s*/.exec(line)?.[0].length ?? 0) <= indent;
  const next = lines.findIndex((line, index) => index > start && isOutside(line));
  const end = next < 0 ? lines.length : next;
  const used = lines.slice(start, end).findLastIndex((line) => /\S/.test(line));
  return start + used + 1;
}
