import type { Problem } from '../language/problem.ts';
import { parseYaml } from '../language/yaml/parser.ts';
import { check } from './check.ts';
import { decodeDocument } from './document.ts';
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
  return { plan: lower(document) };
}
