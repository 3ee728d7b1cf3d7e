import { readFileSync } from 'node:fs';
import { timedSpecimens } from './timed-corpus.ts';
import { type Specimen, waitingSpecimens } from './waiting-corpus.ts';

export type { Specimen } from './waiting-corpus.ts';

interface Row {
  readonly name: string;
  readonly yaml: string;
  readonly input: unknown;
  readonly path?: string;
  readonly children?: readonly { readonly path: string; readonly yaml: string }[];
  readonly expect: {
    readonly status: 'complete' | 'failed';
    readonly upstreamStatus?: 'crashed';
    readonly errorCode?: string;
  };
}

const RECORDED = [
  'two-states-chain',
  'switch-loop-counter',
  'error-state-fails-instance',
  'error-state-keeps-running',
  'error-state-second-raise-caught',
  'catch-stores-error-object',
  'catch-loop-back',
  'getter-unknown-system-key-crashes',
  'setter-getter-roundtrip-json',
  'setter-zero-deletes-existing',
  'getter-replaces-previous-var',
  'thread-and-instance-scope-are-separate',
  'delay-one-second',
  'timeout-in-child-caught-by-parent',
  'namespace-scope-shared-with-child',
  'action-child-error-caught',
  'action-child-error-propagates',
  'action-child-crash-caught-as-internal',
  'action-async-continues',
  'action-async-child-failure-ignored',
  'subflow-two-levels',
  'retry-star-code',
  'foreach-literal-array',
  'foreach-failure-caught',
  'parallel-and-default',
];

const rows = JSON.parse(
  readFileSync(new URL('../../conformance/workflows.json', import.meta.url), 'utf8'),
) as readonly Row[];

function recorded(name: string): Specimen {
  const row = rows.find((one) => one.name === name);
  if (row === undefined) throw new Error(`no workflow is recorded under '${name}'`);
  const children = (row.children ?? []).map(({ path, yaml }) => [path.replace(/^\//, ''), yaml] as const);
  if (row.path !== undefined) throw new Error(`'${name}' must be at the path main`);
  const { errorCode: code } = row.expect;
  return {
    name,
    sources: { ...Object.fromEntries(children), main: row.yaml },
    input: JSON.stringify(row.input),
    status: row.expect.upstreamStatus ?? row.expect.status,
    ...(code === undefined ? {} : { code }),
  };
}

/** The workflows that crash and redelivery tests run: recorded ones, and those that wait. */
export const specimens: readonly Specimen[] = [...RECORDED.map(recorded), ...waitingSpecimens, ...timedSpecimens];
