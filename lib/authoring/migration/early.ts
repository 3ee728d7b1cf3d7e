import { isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap } from 'yaml';
import {
  actionsOf,
  addBefore,
  fieldOf,
  fieldsOf,
  type OldWorkflow,
  type Replacement,
  rangeOf,
  renameField,
  textOf,
} from './old-workflow.ts';
import { isProgram, SCRIPT } from './queries.ts';
import type { Rewrite, Rewriting } from './rewriting.ts';

/** An id for a function that calls a workflow: the last name of its path, in the form of ids. */
function functionId(workflow: string, taken: ReadonlySet<string>): string {
  const name =
    workflow
      .split(':')[0]
      ?.split('/')
      .at(-1)
      ?.replace(/\.ya?ml$/, '') ?? '';
  const dashed = name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
  const id = dashed.replace(/[^a-z0-9]+/g, '-').replace(/^[^a-z]+|-+$/g, '') || 'subflow';
  if (!taken.has(id)) return id;
  let number = 2;
  while (taken.has(`${id}-${number}`)) number += 1;
  return `${id}-${number}`;
}

/** Adds functions to the list of a workflow, or a list with them before the states. */
function addFunctions({ text, root, functions }: OldWorkflow, added: readonly string[]): Replacement | undefined {
  const [first] = functions;
  const list = fieldOf(root, 'functions')?.value;
  if (first !== undefined && isSeq(list) && list.flow !== true) {
    const { from } = rangeOf(first);
    const begin = text.lastIndexOf('\n', from - 1) + 1;
    const dash = text.lastIndexOf('- ', from);
    const indent = ' '.repeat(Math.max(0, dash - begin));
    return { from: dash, to: dash, text: added.map((one) => `- ${one}\n${indent}`).join('') };
  }
  const states = fieldOf(root, 'states');
  if (fieldOf(root, 'functions') !== undefined || states === undefined) return undefined;
  return addBefore(text, root, states, `functions:\n${added.map((one) => `- ${one}`).join('\n')}`);
}

/** An action named its workflow itself before v0.6; now a function does. */
export const declareSubflows: Rewrite = (old) => {
  const calls = old.states.flatMap(actionsOf).flatMap((action) => {
    const field = fieldOf(action, 'workflow');
    const workflow = textOf(action, 'workflow');
    return field === undefined || workflow === undefined || fieldOf(action, 'function') !== undefined
      ? []
      : [{ field, workflow }];
  });
  if (calls.length === 0) return [];
  const taken = new Set(old.functions.flatMap((one) => textOf(one, 'id') ?? []));
  const ids = new Map<string, string>();
  for (const { workflow } of calls) {
    if (ids.has(workflow)) continue;
    const id = functionId(workflow, taken);
    taken.add(id);
    ids.set(workflow, id);
  }
  const added = addFunctions(
    old,
    [...ids].map(([workflow, id]) => `{id: ${id}, type: subflow, workflow: '${workflow.replaceAll("'", "''")}'}`),
  );
  if (added === undefined) return [];
  return calls.map(({ field, workflow }, index): Rewriting => {
    const to = rangeOf(field.value).from + old.text.slice(...bounds(field.value)).trimEnd().length;
    const replacement = { from: field.from, to, text: `function: ${ids.get(workflow)}` };
    const note = `declared the workflow '${workflow}' as the function '${ids.get(workflow)}', which the action calls`;
    return { at: field.from, note, replacements: index === 0 ? [added, replacement] : [replacement] };
  });
};

const bounds = (node: Node): [number, number] => {
  const { from, to } = rangeOf(node);
  return [from, to];
};

/** Fields that had other names, by the type of the state. */
const OLD_NAMES: readonly (readonly [type: string, before: string, now: string])[] = [
  ['foreach', 'input', 'array'],
  ['switch', 'default', 'defaultTransition'],
];

/** Gives fields of states their present names. */
export const renameStateFields: Rewrite = ({ states }) =>
  states.flatMap((state): Rewriting[] =>
    OLD_NAMES.flatMap(([type, before, now]) => {
      const field = fieldOf(state, before);
      if (textOf(state, 'type') !== type || field === undefined || fieldOf(state, now) !== undefined) return [];
      return [{ at: field.from, note: `renamed '${before}' to '${now}'`, replacements: [renameField(field, now)] }];
    }),
  );

function* scalarsIn(node: unknown): Generator<Scalar> {
  if (isScalar(node)) yield node;
  if (isSeq(node)) for (const item of node.items) yield* scalarsIn(item);
  if (isMap(node)) for (const { value } of fieldsOf(node as YAMLMap)) yield* scalarsIn(value);
}

const BRACES = /\{\{\s*((?:[^{}]|\{[^{}]*\})+?)\s*\}\}/g;

/** `{{ … }}` was the notation of a query inside a text before `jq(...)`. A text with a script is of a later version. */
export function replaceBraces({ text, states }: OldWorkflow): readonly Rewriting[] {
  if (SCRIPT.test(text)) return [];
  return states.flatMap((state) =>
    [...scalarsIn(state)].flatMap((node): Rewriting[] => {
      const { from, to } = rangeOf(node);
      const written = text.slice(from, to).trimEnd();
      // In double quotes, a query with quotes of its own is written with backslashes.
      const source = (program: string) => (written.startsWith('"') ? program.replaceAll('\\"', '"') : program);
      const replaced = written.replace(BRACES, (braces, program: string) =>
        isProgram(source(program)) ? `jq(${program})` : braces,
      );
      if (replaced === written) return [];
      const note = 'put the query in {{ }} into jq(...)';
      return [{ at: from, note, replacements: [{ from, to: from + written.length, text: replaced }] }];
    }),
  );
}
