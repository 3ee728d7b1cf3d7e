import { isMap, isScalar, isSeq, type YAMLMap } from 'yaml';
import { moveCatchRetries } from './catches.ts';
import { declareSubflows, renameStateFields, replaceBraces } from './early.ts';
import {
  actionsOf,
  addBefore,
  fieldOf,
  fieldsOf,
  inOneLine,
  mapIn,
  mapsIn,
  removeField,
  renameField,
  replaceText,
  textOf,
} from './old-workflow.ts';
import { bareQueries } from './queries.ts';
import { resolveReference, toNodeName } from './references.ts';
import type { Rewrite, Rewriting } from './rewriting.ts';

/** Fields that versions before v0.6 had at the top level. */
const OLD_TOP_FIELDS: readonly string[] = ['id', 'name', 'version', 'singular', 'exclusive', 'api'];

const dropTopFields: Rewrite = ({ text, root }, { path }) =>
  fieldsOf(root)
    .filter(({ name }) => OLD_TOP_FIELDS.includes(name))
    .map((field) => ({
      at: field.from,
      note:
        field.name === 'id' || field.name === 'name'
          ? `removed '${field.name}': the name of a workflow is its path in the tree, here '${path}'`
          : `removed '${field.name}', which v0.6 removed from the language`,
      replacements: [removeField(text, root, field)],
    }));

/** The type of a function without one, by the field that only this type has. */
const TYPE_BY_FIELD: readonly (readonly [field: string, type: string])[] = [
  ['image', 'knative-workflow'],
  ['workflow', 'subflow'],
  ['service', 'knative-namespace'],
];

const addFunctionTypes: Rewrite = ({ text, functions }) =>
  functions.flatMap((map): Rewriting[] => {
    const type = fieldOf(map, 'type');
    const row = TYPE_BY_FIELD.find(([name]) => fieldOf(map, name) !== undefined);
    const field = fieldOf(map, row?.[0] ?? '');
    if (type !== undefined && isScalar(type.value) && type.value.value === 'isolated') {
      const replacements = [replaceText(text, type.value, 'knative-workflow')];
      return [{ at: type.from, note: "replaced the type 'isolated' by 'knative-workflow'", replacements }];
    }
    if (type !== undefined || row === undefined || field === undefined) return [];
    const added = addBefore(text, map, field, `type: ${row[1]}`);
    return [{ at: field.from, note: `added 'type: ${row[1]}', which v0.5 did not require`, replacements: [added] }];
  });

/** `files` of a function belong to the actions that call it since v0.6. */
const moveFiles: Rewrite = ({ text, functions, states }) =>
  functions.flatMap((map): Rewriting[] => {
    const files = fieldOf(map, 'files');
    const id = textOf(map, 'id');
    if (files === undefined || !isSeq(files.value)) return [];
    const added = states.flatMap(actionsOf).flatMap((action) => {
      const called = fieldOf(action, 'function');
      const isCaller = called !== undefined && textOf(action, 'function') === id;
      return isCaller && fieldOf(action, 'files') === undefined
        ? [addBefore(text, action, called, `files: ${inOneLine(files.value)}`)]
        : [];
    });
    const note = "moved 'files' into the actions that call the function";
    return [{ at: files.from, note, replacements: [removeField(text, map, files), ...added] }];
  });

const dropPatches: Rewrite = ({ text, functions }) =>
  functions.flatMap((map): Rewriting[] => {
    const field = fieldOf(map, 'patches');
    if (field === undefined) return [];
    const note = "removed 'patches', which change a resource of Kubernetes";
    return [{ at: field.from, note, replacements: [removeField(text, map, field)] }];
  });

/** Event filters were called `filters` before v0.6. */
const renameFilters: Rewrite = ({ root, states }) =>
  [mapIn(fieldOf(root, 'start')), ...states]
    .flatMap((map) => (map === undefined ? [] : eventsOf(map)))
    .flatMap((event): Rewriting[] => {
      const field = fieldOf(event, 'filters');
      if (field === undefined || fieldOf(event, 'context') !== undefined) return [];
      return [
        { at: field.from, note: "renamed 'filters' to 'context'", replacements: [renameField(field, 'context')] },
      ];
    });

function eventsOf(map: YAMLMap): YAMLMap[] {
  const one = mapIn(fieldOf(map, 'event'));
  const many = mapsIn(fieldOf(map, 'events'));
  return [...(one === undefined ? [] : [one]), ...many.flatMap((item) => [item, ...eventsOf(item)])];
}

/** `retries` is one object and belongs to the action; documents show it as a list, as `retry`, or beside the action. */
const moveRetries: Rewrite = ({ text, states }) =>
  states.flatMap((state): Rewriting[] => {
    const inState = fieldOf(state, 'retries') ?? fieldOf(state, 'retry');
    const action = mapIn(fieldOf(state, 'action'));
    const called = fieldOf(action, 'function');
    if (
      inState !== undefined &&
      action !== undefined &&
      called !== undefined &&
      fieldOf(action, 'retries') === undefined
    ) {
      const policy = isSeq(inState.value) && isMap(inState.value.items[0]) ? inState.value.items[0] : inState.value;
      const added = addBefore(text, action, called, `retries: ${inOneLine(policy)}`);
      return [
        {
          at: inState.from,
          note: `moved '${inState.name}' into the action, as 'retries'`,
          replacements: [removeField(text, state, inState), added],
        },
      ];
    }
    return actionsOf(state).flatMap((one) => toObject(text, one));
  });

function toObject(text: string, action: YAMLMap): Rewriting[] {
  const field = fieldOf(action, 'retries') ?? fieldOf(action, 'retry');
  const called = fieldOf(action, 'function');
  if (field === undefined || called === undefined) return [];
  const [policy] = isSeq(field.value) ? field.value.items : [];
  if (isMap(policy)) {
    const added = addBefore(text, action, called, `retries: ${inOneLine(policy)}`);
    const note = "made 'retries' one object";
    return [{ at: field.from, note, replacements: [removeField(text, action, field), added] }];
  }
  if (field.name === 'retries') return [];
  return [{ at: field.from, note: "renamed 'retry' to 'retries'", replacements: [renameField(field, 'retries')] }];
}

/** Before v0.6, retries without codes were accepted, and no error was retried. */
const dropCodelessRetries: Rewrite = ({ text, states }) =>
  states.flatMap(actionsOf).flatMap((action): Rewriting[] => {
    const field = fieldOf(action, 'retries');
    if (field === undefined || !isMap(field.value) || fieldOf(field.value, 'codes') !== undefined) return [];
    const note = "removed 'retries' without 'codes', which retried no error; codes: ['.*'] would retry each";
    return [{ at: field.from, note, replacements: [removeField(text, action, field)] }];
  });

/** Fields of an action that documents show beside it. */
const FIELDS_OF_ACTIONS: readonly string[] = ['secrets', 'files', 'input'];

const moveIntoAction: Rewrite = ({ text, states }) =>
  states.flatMap((state): Rewriting[] => {
    const action = mapIn(fieldOf(state, 'action'));
    const called = fieldOf(action, 'function');
    if (textOf(state, 'type') !== 'action' || action === undefined || called === undefined) return [];
    return fieldsOf(state)
      .filter(({ name }) => FIELDS_OF_ACTIONS.includes(name) && fieldOf(action, name) === undefined)
      .map((field) => ({
        at: field.from,
        note: `moved '${field.name}' into the action`,
        replacements: [
          removeField(text, state, field),
          addBefore(text, action, called, `${field.name}: ${inOneLine(field.value)}`),
        ],
      }));
  });

/** The services of v0.8 were files of the tree; here they are named. */
const nameServices: Rewrite = ({ text, functions }) =>
  functions.flatMap((map): Rewriting[] => {
    const value = fieldOf(map, 'service')?.value;
    if (!isScalar(value) || typeof value.value !== 'string' || !/\/|\.ya?ml$/.test(value.value)) return [];
    const file = value.value.split('/').at(-1) ?? '';
    const name = toNodeName(file.replace(/\.ya?ml$/, '').replaceAll(/[._]/g, '-'));
    if (name === '') return [];
    const note = `the service '${value.value}' is now '${name}': services have names; create it (docs/containers.md)`;
    return [{ at: value.range?.[0] ?? 0, note, replacements: [replaceText(text, value, name)] }];
  });

const resolveReferences: Rewrite = ({ text, functions }, names) =>
  functions.flatMap((map): Rewriting[] => {
    const value = fieldOf(map, 'workflow')?.value;
    if (!isScalar(value) || typeof value.value !== 'string') return [];
    const resolved = resolveReference(value.value, names);
    if (resolved === undefined || resolved.to === value.value) return [];
    const replacements = [replaceText(text, value, resolved.to)];
    const note = `subflow '${value.value}' is now '${resolved.to}': ${resolved.reason}`;
    return [{ at: value.range?.[0] ?? 0, note, replacements }];
  });

/** The rewrites in the order in which they are applied; each reads the result of the previous one. */
export const REWRITES: readonly Rewrite[] = [
  dropTopFields,
  declareSubflows,
  renameStateFields,
  addFunctionTypes,
  moveFiles,
  dropPatches,
  renameFilters,
  moveCatchRetries,
  moveRetries,
  moveIntoAction,
  dropCodelessRetries,
  nameServices,
  (old) => [...bareQueries(old), ...replaceBraces(old)],
  resolveReferences,
];
