import { escapeHtml } from './highlighting.ts';

const NAME = /^participant (\w+) as (.+)$/;
const MESSAGE = /^(\w+)(--?>>)(\w+): (.+)$/;
const NOTE = /^Note over [\w,]+: (.+)$/;
const BLOCK = /^(alt|else|opt|loop|par|and) (.+)$/;

/**
 * A sequence diagram in the notation of Mermaid as a list of its messages: it can be read without scripts and at any width.
 * Throws Error for a line that it does not know.
 */
export function sequenceList(diagram: string): string {
  const names = new Map<string, string>();
  const nameOf = (id = ''): string => `<b>${escapeHtml(names.get(id) ?? id)}</b>`;
  const itemOf = (line: string): string => {
    const [, id, name = ''] = NAME.exec(line) ?? [];
    if (id !== undefined) names.set(id, name);
    if (id !== undefined || line === 'sequenceDiagram') return '';
    if (line === 'end') return '</ol></li>';
    const [, kind, label = ''] = BLOCK.exec(line) ?? [];
    const before = kind === 'else' || kind === 'and' ? '</ol></li>' : '';
    if (kind !== undefined) return `${before}<li><i>${escapeHtml(label)}</i><ol>`;
    const [, note] = NOTE.exec(line) ?? [];
    if (note !== undefined) return `<li>${escapeHtml(note)}</li>`;
    const [, from, arrow, to, text = ''] = MESSAGE.exec(line) ?? [];
    if (from === undefined) throw new Error(`a diagram has the line '${line}', which the site does not know`);
    const way = from === to ? nameOf(from) : `${nameOf(from)} ${arrow === '-->>' ? '⇢' : '→'} ${nameOf(to)}`;
    return `<li>${way}: ${escapeHtml(text)}</li>`;
  };
  const lines = diagram.split('\n').map((line) => line.trim());
  const items = lines.filter((line) => line !== '').map(itemOf);
  return `<ol class="sequence">${items.join('')}</ol>\n`;
}
