import { addProblem, MAX_PROBLEMS, type Problem } from '../language/problem.ts';
import { didYouMean } from '../language/suggestions.ts';
import type { Document, Part } from './document.ts';
import type { Reference } from './read/reading.ts';

/** Everything that is wrong with a document, first what the original finds first (workflow-language 1.7). */
export function check(document: Document): readonly Problem[] {
  const { start, states, functions } = document;
  const problems = [...document.problems];
  refuseTwins('state', states, problems);
  refuseTwins('function', functions, problems);
  const known = namesOf(states);
  for (const target of start?.reading.transitions ?? []) {
    refuseUnknown(target, known, 'start targets state that does not exist', problems);
  }
  for (const [index, { reading }] of states.entries()) {
    for (const target of reading.transitions) {
      const text = `workflow state[${index}] '${target.slot}' transition '${target.name}' does not exist`;
      refuseUnknown(target, known, text, problems);
    }
  }
  const callable = namesOf(functions);
  for (const [index, { reading }] of states.entries()) {
    for (const call of reading.calls) {
      const text = `workflow state[${index}] actions function '${call.name}' does not exist`;
      refuseUnknown(call, callable, text, problems);
    }
  }
  return [...problems, ...document.late].slice(0, MAX_PROBLEMS);
}

const namesOf = (parts: readonly Part<unknown>[]): ReadonlySet<string> => new Set(parts.map(({ id = '' }) => id));

/** Two parts with one name: the second is told. A part without a name has its own problem. */
function refuseTwins(what: string, parts: readonly Part<unknown>[], problems: Problem[]): void {
  const first = new Map<string, Part<unknown>>();
  for (const part of parts) {
    const { id = '' } = part;
    const earlier = first.get(id);
    if (id === '') continue;
    if (earlier === undefined) first.set(id, part);
    else {
      const text = `${what} id '${id}' is used in more than one ${what}`;
      addProblem(problems, part, text, () => `it is first used in line ${earlier.line}`);
    }
  }
}

function refuseUnknown(used: Reference, known: ReadonlySet<string>, text: string, problems: Problem[]): void {
  if (known.has(used.name)) return;
  addProblem(problems, used, text, () => didYouMean(used.name, known) ?? knownNames(known));
}

function knownNames(known: ReadonlySet<string>): string {
  const names = [...known].slice(0, 10).join(', ');
  return known.size === 0 ? 'none is declared' : `known: ${names}${known.size > 10 ? ', …' : ''}`;
}
