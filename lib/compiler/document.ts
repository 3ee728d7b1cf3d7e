import { omitUndefined } from '../language/omit-undefined.ts';
import { addProblem, MAX_PROBLEMS, type Problem } from '../language/problem.ts';
import { scriptProblem } from '../language/scripts/scripts.ts';
import type { MapNode, Node } from '../language/yaml/parser.ts';
import {
  type Budget,
  createContext,
  MAX_SCHEMA_PARTS,
  type MessagePrefixes,
  problemsOf,
  type Reference,
} from './decoding/context.ts';
import { query, text } from './decoding/decoders.ts';
import { acceptedFields, decodeFields } from './decoding/object.ts';
import { decodeVariant } from './decoding/variants.ts';
import { FUNCTION_TYPES } from './parts/functions.ts';
import { RUN_SETTINGS, type RunSettings, toSettings } from './parts/run-settings.ts';
import { START_TYPES, type StartPlan } from './parts/starts.ts';
import type { FunctionPlan, StatePlan } from './plan/plan.ts';
import { decodeSection, findEntry, noStates, type Part, type Section } from './sections.ts';
import { STATE_TYPES } from './states/index.ts';

/** A decoded document: its parts, and the problems within each of them. `check` adds those between the parts. */
export interface Document {
  readonly start?: Part<StartPlan>;
  readonly states: readonly Part<StatePlan>[];
  readonly functions: readonly Part<FunctionPlan>[];
  readonly settings: RunSettings;
  /** The states that the fields of the document name. */
  readonly transitions: readonly Reference[];
  /** In the order in which the original checks. */
  readonly problems: readonly Problem[];
  /** Problems that the original checks after all others. */
  readonly lateProblems: readonly Problem[];
}

const DOCUMENT_PREFIXES: MessagePrefixes = {
  undecodable: 'failed to decode workflow: ',
  untyped: '',
  unknownType: '',
  invalid: '',
};
const START_PREFIXES: MessagePrefixes = {
  undecodable: 'failed to decode start: ',
  untyped: 'bad start: ',
  unknownType: 'start: ',
  invalid: 'start invalid: ',
};

const STATES: Section<StatePlan> = { name: 'state', types: STATE_TYPES };
const FUNCTIONS: Section<FunctionPlan> = { name: 'function', types: FUNCTION_TYPES };

/** The fields of a document. Start, functions and states are accepted here and decoded one by one. */
const FIELDS = {
  direktiv_api: text,
  description: text,
  url: text,
  ...RUN_SETTINGS,
  start: query,
  functions: query,
  states: query,
};

/** The language as the compiler accepts it: the fields of a document, and the types of its starts, functions and states. */
export const LANGUAGE = {
  fields: acceptedFields(FIELDS),
  starts: START_TYPES,
  functions: FUNCTION_TYPES,
  states: STATE_TYPES,
} as const;

const NO_SETTINGS: RunSettings = { timeouts: {}, catch: [] };

/** Adds the problems of scripts that are too large, wherever they are: nothing reads them before. */
function checkScripts(node: Node, problems: Problem[], seen = new Set<Node>()): void {
  if (node.kind === 'scalar') {
    const problem = scriptProblem(node.text);
    if (problem !== undefined) addProblem(problems, node, problem, () => 'move parts of it into other states');
    return;
  }
  // Aliases share their nodes.
  if (seen.has(node)) return;
  seen.add(node);
  if (node.kind === 'list') for (const item of node.items) checkScripts(item, problems, seen);
  else for (const { node: inner } of node.entries.values()) checkScripts(inner, problems, seen);
}

/** Decodes a document part by part. Never throws. */
export function decodeDocument(root: Node): Document {
  const nothing = { states: [], functions: [], settings: NO_SETTINGS, transitions: [], lateProblems: [] };
  if (root.kind !== 'map') return { ...nothing, problems: [noStates(root)] };
  const budget = { schemaParts: MAX_SCHEMA_PARTS };
  const context = createContext(DOCUMENT_PREFIXES, budget);
  const settings = toSettings(decodeFields(root, FIELDS, context));
  const start = decodeStart(root, budget);
  const sectionProblems: Problem[] = [];
  checkScripts(root, sectionProblems);
  const scope = { budget, problems: sectionProblems };
  const states = decodeSection(root, STATES, scope);
  const functions = decodeSection(root, FUNCTIONS, scope);
  const ofStart = start === undefined ? [] : problemsOf(start.context);
  const ofParts = [...states, ...functions].flatMap((part) => problemsOf(part.context));
  return {
    ...omitUndefined({ start }),
    states,
    functions,
    settings,
    transitions: context.transitions,
    problems: [...ofStart, ...sectionProblems, ...context.undecodable, ...ofParts].slice(0, MAX_PROBLEMS),
    lateProblems: context.invalid,
  };
}

function decodeStart(root: MapNode, budget: Budget): Part<StartPlan> | undefined {
  const entry = findEntry(root, 'start');
  if (entry === undefined) return undefined;
  const { line, column } = entry.node;
  const context = createContext(START_PREFIXES, budget);
  return { line, column, context, lower: decodeVariant(entry.node, START_TYPES, context) };
}
