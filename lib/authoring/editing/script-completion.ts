import { builtinNames } from '../../language/jq/syntax/builtins.ts';
import { JqSyntaxError } from '../../language/jq/syntax/errors.ts';
import type { Position } from '../../language/position.ts';
import { programOf } from '../../lint/document/scripts.ts';
import type { StateView, Workflow } from '../../lint/document/workflow.ts';
import { evaluate } from '../../lint/shapes/evaluation.ts';
import { dataShapes } from '../../lint/shapes/flow.ts';
import { memberOf, objectsOf, type Shape } from '../../lint/shapes/shape.ts';
import type { Completion, Completions } from './completion-items.ts';
import { type OpenText, openText } from './open-text.ts';

/** The part of a jq script before the cursor: the input of its last pipe, and the path that is written. */
interface Written {
  /** The program before the last pipe; empty for the data itself. */
  readonly input: string;
  readonly path: readonly string[];
  readonly word: string;
}

/** The source of the jq script in which the line ends; undefined if it ends outside of one. */
function openScript(line: string): string | undefined {
  const begin = line.lastIndexOf('jq(');
  if (begin < 0) return undefined;
  const script = line.slice(begin + 3);
  const depth = [...script].reduce((sum, letter) => (letter === '(' ? sum + 1 : letter === ')' ? sum - 1 : sum), 0);
  return depth < 0 ? undefined : script;
}

/** The unfinished path at the end of a script; undefined inside functions that change the input, such as `map(`. */
function pathAtEnd(script: string): Written | undefined {
  const [whole = '', path = ''] = /((?:\.[A-Za-z_]\w*(?:\[\])?)*)\.(?:[A-Za-z_]\w*)?$/.exec(script) ?? [];
  if (whole === '') return undefined;
  const word = /\w*$/.exec(whole)?.[0] ?? '';
  const before = script.slice(0, script.length - whole.length);
  if (/\w\($/.test(before.trimEnd()) || /[\w\])"]$/.test(before)) return undefined;
  const isNested =
    /\b(?:map|select|any|all|map_values|with_entries|sort_by|group_by|min_by|max_by|unique_by|recurse|walk|reduce|foreach)\b[^)]*$/;
  if (isNested.test(before)) return undefined;
  const pipe = before.trimEnd().endsWith('|') ? before.trimEnd().slice(0, -1) : '';
  return { input: pipe, path: path.split('.').filter((one) => one !== ''), word };
}

const IGNORED = { variables: new Map(), functions: new Set<string>(), isGuarded: false, onAccess: () => {} };

function shapeAt(data: Shape, { input, path }: Written): Shape | undefined {
  let shape = data;
  if (input.trim() !== '') {
    const program = programOf(input);
    if (program instanceof JqSyntaxError) return undefined;
    shape = evaluate(program, data, IGNORED);
  }
  for (const part of path) {
    shape = memberOf(shape, part.replace('[]', ''));
    if (!part.endsWith('[]')) continue;
    const options = shape.kind === 'union' ? shape.options : [shape];
    shape = options.find((one) => one.kind === 'array')?.items ?? { kind: 'any' };
  }
  return shape;
}

function membersOf(shape: Shape): readonly Completion[] {
  const members = (objectsOf(shape) ?? []).flatMap((object) => [...object.members]);
  return [...new Map(members)].map(([label, { shape: member, isOptional }]) => ({
    label,
    kind: 'member',
    insert: /^[A-Za-z_]\w*$/.test(label) ? label : `"${label}"`,
    detail: `${member.kind}${isOptional ? ', may be missing' : ''}`,
  }));
}

const stateAt = ({ states }: Workflow, line: number): StateView | undefined =>
  states.findLast(({ node }) => node.line <= line);

/** The workflow of the text; while a script is incomplete, of the text with the script closed. */
function workflowAround({ text, source, workflow }: OpenText, at: Position): Workflow | undefined {
  const found = workflow();
  if (found !== undefined) return found;
  const offset = source.offsetOf(at);
  const end = text.indexOf('\n', offset);
  const closed = `${text.slice(0, offset)})${end < 0 ? '' : text.slice(end)}`;
  return openText(closed).workflow() ?? openText(closed.replace(/\)(\r?\n|$)/, ")'$1")).workflow();
}

/** The completions of a jq script at the end of a line; undefined outside of scripts. */
export function completeScript(text: OpenText, at: Position, line: string): Completions | undefined {
  const script = openScript(line);
  if (script === undefined) return undefined;
  const written = pathAtEnd(script);
  if (written === undefined) {
    const word = /(?:^|[|,(\s])([a-z_]\w*)$/.exec(script)?.[1] ?? '';
    const items = word === '' ? [] : [...builtinNames()].map((label): Completion => ({ label, kind: 'function' }));
    return { from: { line: at.line, column: at.column - word.length }, items };
  }
  const from = { line: at.line, column: at.column - written.word.length };
  const workflow = workflowAround(text, at);
  const state = workflow === undefined ? undefined : stateAt(workflow, at.line);
  const data = workflow === undefined ? undefined : dataShapes(workflow)?.get(state?.id ?? '');
  const shape = data === undefined ? undefined : shapeAt(data, written);
  return { from, items: shape === undefined ? [] : membersOf(shape) };
}
