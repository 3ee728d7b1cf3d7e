import type { Problem } from '../language/problem.ts';
import { parseYaml } from '../language/yaml/parser.ts';
import { check } from './check.ts';
import { readDocument } from './document.ts';
import { lower } from './lower.ts';
import type { Plan } from './plan/plan.ts';

export interface Compiled {
  readonly plan: Plan;
}

/**
 * What a workflow's text means, or everything that is wrong with it: the first problem is the one that the original
 * tells, in its words (workflow-language 1.7). Never throws, and takes bounded time whatever the text is.
 */
export function compile(source: string): Compiled | { readonly problems: readonly Problem[] } {
  const read = parseYaml(source);
  if ('problems' in read) return read;
  const document = readDocument(read.root);
  const problems = check(document);
  if (problems.length > 0) return { problems };
  return { plan: lower(document) };
}
