import { expect, test } from 'vitest';
import type { InstanceRecord, LogLine } from '../../clients/api/operations.ts';
import { childrenBySteps } from '../../web/data/runs/child-steps.ts';
import { StepReader } from '../../web/data/runs/steps.ts';
import { lanesOf, type TimelineChild } from '../../web/parts/timeline/lanes.ts';

const ONE = '11111111-1111-1111-1111-111111111111';
const TWO = '22222222-2222-2222-2222-222222222222';

const at = (second: number): string => `2026-11-23T10:00:0${second}.000Z`;
const lines = (state: string, texts: readonly string[]): LogLine[] =>
  texts.map((msg, second) => ({ t: at(second), level: 'info', msg, tags: { 'state-id': state } }));

function stepsOf(all: readonly LogLine[]) {
  const reader = new StepReader();
  reader.read(all);
  return reader.steps(undefined);
}

const run = (id: string, second: number): InstanceRecord => ({
  createdAt: at(second),
  updatedAt: at(second),
  id,
  as: '/bank',
  status: 'complete',
  errorCode: '',
  errorMessage: '',
  invoker: 'instance:0',
});

const enter = (number: number, state: string): string => `Running state logic (step:${number}) -- ${state}`;

test('a step names the run of its call, and those of further attempts', () => {
  const texts = [
    enter(1, 'a'),
    `Sleeping until child '${ONE}' returns (bank).`,
    `Child '${ONE}' returned.`,
    'Scheduling retry attempt in: 1s.',
    `Child '${TWO}' returned.`,
  ];
  expect(stepsOf(lines('a', texts))).toMatchObject([{ startsRuns: true, children: [ONE, TWO], attempts: 1 }]);
});

test('a step of several calls starts runs that are not named before; a step that calls a function starts none', () => {
  const loop = [enter(1, 'a'), 'Generated 2 objects to loop over.', `Child '${ONE}' returned.`];
  expect(stepsOf(lines('a', loop))).toMatchObject([{ startsRuns: true, children: [] }]);
  const call = [enter(1, 'a'), `Calling function 'get' (${ONE}).`, `Child '${ONE}' returned.`];
  expect(stepsOf(lines('a', call))).toMatchObject([{ startsRuns: false, children: [] }]);
});

test('the state that ends a run with an error has failed', () => {
  const texts = [enter(1, 'a'), "Workflow failed with error 'order.bad': no card"];
  expect(stepsOf(lines('a', texts))).toMatchObject([{ error: "'order.bad': no card" }]);
});

test('runs stand below the step that names them, or that was at work when they began', () => {
  const first = lines('a', [enter(1, 'a'), `Sleeping until child '${ONE}' returns (bank).`]);
  const second = lines('b', ['', '', '', enter(2, 'b'), 'Sleeping until children return.']).slice(3);
  const steps = stepsOf([...first, ...second]);
  const found = childrenBySteps(steps, [run(ONE, 9), run(TWO, 5)]);
  expect([...found].map(([number, runs]) => [number, runs.map(({ id }) => id)])).toEqual([
    [1, [ONE]],
    [2, [TWO]],
  ]);
});

test('only the steps that are open show their runs, and what is said of these', () => {
  const steps = stepsOf(lines('a', [enter(1, 'a'), `Sleeping until child '${ONE}' returns (bank).`]));
  const child: TimelineChild = { id: ONE, name: '/bank', href: '', status: 'complete', from: 0, to: 1 };
  const childRuns = { of: new Map([[1, [child]]]), onFold: () => {}, remark: () => ({ text: 'more' }) };
  const kinds = (isOpen: boolean) => lanesOf(steps, { ...childRuns, isOpen: () => isOpen }).map(({ kind }) => kind);
  expect(kinds(true)).toEqual(['step', 'child', 'remark']);
  expect(kinds(false)).toEqual(['step']);
});
