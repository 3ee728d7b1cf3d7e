import { createSourceText, type Position, type SourceText } from '../../language/position.ts';
import type { Node } from '../../language/yaml/parser.ts';
import { type ReadWorkflow, readWorkflow, type Workflow } from '../../lint/document/workflow.ts';
import { type FieldView, fieldsIn } from './fields.ts';

/** A workflow text in an editor. It is parsed once, at its first use. */
export interface OpenText {
  readonly text: string;
  readonly source: SourceText;
  readonly read: () => ReadWorkflow;
  /** Undefined for a text that is not YAML. */
  readonly workflow: () => Workflow | undefined;
  readonly fields: () => readonly FieldView[];
}

/** Opens a text. */
export function openText(text: string): OpenText {
  const read = lazily(() => readWorkflow(text));
  const workflow = () => {
    const found = read();
    return 'states' in found ? found : undefined;
  };
  const fields = lazily(() => {
    const root = workflow()?.root;
    return root === undefined ? [] : fieldsIn(root);
  });
  return { text, source: createSourceText(text), read, workflow, fields };
}

function lazily<T>(compute: () => T): () => T {
  let known: { readonly value: T } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}

/** A range of a text; the end is behind its last character. */
export interface Range {
  readonly from: Position;
  readonly to: Position;
}

/** The range of a scalar as written in one line, without its quotes; undefined for another node. */
export function rangeOfScalar({ source }: Pick<OpenText, 'source'>, node: Node): Range | undefined {
  if (node.kind !== 'scalar' || node.text === '' || node.text.includes('\n')) return undefined;
  const offset = source.offsetOf(node);
  const begin = [offset, offset + 1].find((one) => source.text.startsWith(node.text, one));
  return begin === undefined ? undefined : { from: source.at(begin), to: source.at(begin + node.text.length) };
}

/** The range of a field's name. */
export const rangeOfKey = ({ entry: { line, column, key } }: FieldView): Range => ({
  from: { line, column },
  to: { line, column: column + key.length },
});

/** True if a position is in the range, or at one of its ends. */
export function contains({ from, to }: Range, { line, column }: Position): boolean {
  const isAfter = line > from.line || (line === from.line && column >= from.column);
  return isAfter && (line < to.line || (line === to.line && column <= to.column));
}
