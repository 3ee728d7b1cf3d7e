import { JqSyntaxError } from '../../language/jq/syntax/errors.ts';
import { unknownNames } from '../../language/jq/syntax/names.ts';
import type { Node, ScalarNode } from '../../language/yaml/parser.ts';
import { programOf } from '../document/scripts.ts';
import type { Workflow } from '../document/workflow.ts';
import type { Edit, Mend } from '../reports/finding.ts';

/** The range of a scalar in one line, with its quotes; undefined if it is written in another way. */
function rangeOfScalar({ source }: Pick<Workflow, 'source'>, node: ScalarNode) {
  const begin = source.offsetOf(node);
  const quote = /^['"]/.exec(source.text.slice(begin, begin + 1))?.[0] ?? '';
  const written = quote + node.text + quote;
  if (node.text.includes('\n') || !source.text.startsWith(written, begin)) return undefined;
  return { from: node, to: source.at(begin + written.length), quote };
}

/** Texts that need no quotes, also in brackets. */
const isSimple = (text: string): boolean =>
  /^[A-Za-z@*][\w.@()*-]*$/.test(text) && !/^(?:\*|(?:true|false|null|yes|no|on|off|y|n)$)/i.test(text);

/** The edit that replaces a scalar of one line by a text, in quotes where they are needed; undefined for other nodes. */
export function scalarEdit(workflow: Pick<Workflow, 'source'>, node: Node, text: string): Edit | undefined {
  const range = node.kind === 'scalar' ? rangeOfScalar(workflow, node) : undefined;
  if (range === undefined) return undefined;
  const { from, to, quote } = range;
  if (quote === '"') return { from, to, text: JSON.stringify(text) };
  return { from, to, text: quote === '' && isSimple(text) ? text : `'${text.replaceAll("'", "''")}'` };
}

/** The mend that replaces a scalar of one line; undefined for other nodes. */
export function replaceScalar(workflow: Workflow, node: Node, text: string, title = `write ${text}`): Mend | undefined {
  const edit = scalarEdit(workflow, node, text);
  return edit && { title, edits: [edit], isCertain: false };
}

/** A text is a program of jq that knows all its names. */
export function isProgram(text: string): boolean {
  const program = programOf(text);
  return !(program instanceof JqSyntaxError) && unknownNames(program).length === 0;
}

/** The mend that makes a plain text a query; undefined for a text that is no program of jq, or a word. */
export function asQuery({ source }: Workflow, node: ScalarNode): Mend | undefined {
  const text = node.text.trim();
  if (!/[.=<>]|\b(not|and|or)\b|^(?:true|false)$/.test(text) || !isProgram(text)) return undefined;
  const from = source.offsetOf(node);
  const written = source.text.slice(from);
  const quote = /^['"]/.exec(written)?.[0] ?? '';
  if (!written.startsWith(quote + node.text) || (quote === '' && text.includes("'"))) return undefined;
  const [begin, end] = [from + quote.length, from + quote.length + node.text.length].map((one) => source.at(one));
  if (begin === undefined || end === undefined) return undefined;
  const edits = [
    { from: begin, to: begin, text: quote === '' ? "'jq(" : 'jq(' },
    { from: end, to: end, text: quote === '' ? ")'" : ')' },
  ];
  return { title: 'make it a jq query', edits, isCertain: /^\.\w/.test(text) };
}

/** Puts a text with scripts and other parts into one script: `jq(.a) > 5` becomes `jq(.a > 5)`. */
export function asOneQuery(workflow: Workflow, node: Node, sources: readonly string[]): Mend | undefined {
  if (node.kind !== 'scalar') return undefined;
  const inner = sources.reduce((text, source) => text.replace(`jq(${source})`, () => source), node.text.trim());
  return inner.includes('jq(') || !isProgram(inner) ? undefined : replaceScalar(workflow, node, `jq(${inner})`);
}
