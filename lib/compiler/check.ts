import { addProblem, MAX_PROBLEMS, type Problem } from '../language/problem.ts';
import { didYouMean } from '../language/suggestions.ts';
import type { Reference } from './decoding/context.ts';
import type { Document } from './document.ts';
import type { Part } from './sections.ts';

/**
 * Returns all problems of a document: those within its parts, ids that are used twice, and references to states and
 * functions that do not exist. The first is the one that the original finds first (workflow-language 1.7).
 */
export function check(document: Document): readonly Problem[] {
  const { start, states, functions } = document;
  const problems = [...document.problems];
  checkUnique('state', states, problems);
  checkUnique('function', functions, problems);
  const stateIds = idsOf(states);
  const functionIds = idsOf(functions);
  for (const target of start?.context.transitions ?? []) {
    checkExists(target, stateIds, 'start targets state that does not exist', problems);
  }
  for (const target of document.transitions) {
    const text = `workflow '${target.field}' transition '${target.name}' does not exist`;
    checkExists(target, stateIds, text, problems);
  }
  for (const [index, { context }] of states.entries()) {
    for (const target of context.transitions) {
      const text = `workflow state[${index}] '${target.field}' transition '${target.name}' does not exist`;
      checkExists(target, stateIds, text, problems);
    }
  }
  for (const [index, { context }] of states.entries()) {
    for (const call of context.calls) {
      const text = `workflow state[${index}] actions function '${call.name}' does not exist`;
      checkExists(call, functionIds, text, problems);
    }
  }
  return [...problems, ...document.lateProblems].slice(0, MAX_PROBLEMS);
}

const idsOf = (parts: readonly Part<unknown>[]): ReadonlySet<string> => new Set(parts.map(({ id = '' }) => id));

/** Reports the second of two parts with the same id. A part without an id has a problem of its own. */
function checkUnique(name: string, parts: readonly Part<unknown>[], problems: Problem[]): void {
  const first = new Map<string, Part<unknown>>();
  for (const part of parts) {
    const { id = '' } = part;
    const earlier = first.get(id);
    if (id === '') continue;
    if (earlier === undefined) first.set(id, part);
    else {
      const text = `${name} id '${id}' is used in more than one ${name}`;
      addProblem(problems, part, text, () => `it is first used in line ${earlier.line}`);
    }
  }
}

function checkExists(used: Reference, ids: ReadonlySet<string>, text: string, problems: Problem[]): void {
  if (ids.has(used.name)) return;
  addProblem(problems, used, text, () => didYouMean(used.name, ids) ?? listOf(ids));
}

function listOf(ids: ReadonlySet<string>): string {
  if (ids.size === 0) return "the workflow has no functions: declare it under 'functions'";
  return `known: ${[...ids].slice(0, 10).join(', ')}${ids.size > 10 ? ', …' : ''}`;
}
