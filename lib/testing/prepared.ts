import type { Plan } from '../compiler/plan/plan.ts';
import type { Mock, TestCase } from './format/suite.ts';

/** A workflow of a test. */
export interface TestWorkflow {
  /** Its path in the tree, without a slash in front. */
  readonly path: string;
  /** Its file, as the user finds it. */
  readonly file: string;
  readonly source: string;
  readonly plan: Plan;
}

/** A case with all that it needs. */
export interface PreparedCase {
  readonly test: TestCase;
  readonly main: TestWorkflow;
  /** The workflow, its subflows and theirs, and those that the case names, by their paths. */
  readonly workflows: ReadonlyMap<string, TestWorkflow>;
  /** The mocks by the keys of their functions. */
  readonly mocks: ReadonlyMap<string, Mock>;
  /** The subflows that no file defines, for the user. */
  readonly missing: readonly string[];
}

/** How the run of a case is started. */
export type Beginning = 'request' | 'event' | 'clock';

const EVENT_STARTS: ReadonlySet<string> = new Set(['event', 'eventsXor', 'eventsAnd']);

/** How the run of a case is started: by a request if the case has an input, whatever starts the workflow. */
export function beginningOf({ main, test }: PreparedCase): Beginning {
  const { type } = main.plan.start;
  if (test.input !== undefined) return 'request';
  if (EVENT_STARTS.has(type)) return 'event';
  return type === 'scheduled' ? 'clock' : 'request';
}

/** Whether a workflow of the case is stored without its start: only that of the case is started by the clock. */
export const losesStart = (prepared: PreparedCase, { path, plan }: TestWorkflow): boolean =>
  path === prepared.main.path ? beginningOf(prepared) === 'request' : plan.start.type === 'scheduled';
