import type { Problem } from '../language/problem.ts';
import { parseYaml } from '../language/yaml/parser.ts';
import { check } from './check.ts';
import { type Document, decodeDocument } from './document.ts';
import { definitionBytes, MAX_DEFINITION_BYTES } from './emit/size.ts';
import { lower } from './lower.ts';
import type { Plan } from './plan/plan.ts';

/** The result of a compilation without problems. */
export interface Compiled {
  readonly plan: Plan;
}

/**
 * Compiles the text of a workflow to its plan, or returns all its problems. The first problem is the one that the original
 * reports, in its words (workflow-language 1.7). Never throws; the time is bounded for every text.
 */
export function compile(source: string): Compiled | { readonly problems: readonly Problem[] } {
  const parsed = parseYaml(source);
  if ('problems' in parsed) return parsed;
  const document = decodeDocument(parsed.root);
  const problems = check(document);
  if (problems.length > 0) return { problems };
  const plan = lower(document);
  const bytes = definitionBytes(plan);
  return bytes > MAX_DEFINITION_BYTES ? { problems: [tooLarge(document, bytes)] } : { plan };
}

const kilobytes = (bytes: number): string => `${Math.ceil(bytes / 1000).toLocaleString('en')} KB`;

function tooLarge({ states }: Document, bytes: number): Problem {
  const { line, column } = states.at(-1) ?? { line: 1, column: 1 };
  const limit = kilobytes(MAX_DEFINITION_BYTES);
  const message = `the state machine of the workflow would have ${kilobytes(bytes)}, and Step Functions allows ${limit}`;
  return { message, line, column, hint: 'move some of the states that wait or call into a subflow' };
}
