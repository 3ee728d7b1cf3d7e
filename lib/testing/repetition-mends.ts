import type { FunctionPlan } from '../compiler/plan/plan.ts';

type FunctionType = FunctionPlan['type'];

const DECLARE = "and write 'idempotent: true' in its mock";

const recognise = (who: string, by: string): string =>
  `let ${who} recognise a repeated call by ${by}, which stays the same, ${DECLARE}`;

const CONTAINER = recognise('the function', 'its Direktiv-ActionID');

/** By the type of a function: what keeps a repeated call of it from doing harm. */
const MENDS: Readonly<Record<FunctionType, string>> = {
  // A subflow is one run, however often it is called.
  subflow: '',
  'knative-namespace': CONTAINER,
  'knative-global': CONTAINER,
  'knative-workflow': CONTAINER,
  http: recognise('the server', 'its Idempotency-Key'),
  worker: recognise('the worker', 'the key of its task'),
  lambda: recognise('the function', 'the idempotencyKey of its client context'),
  mail: `a mail that is sent again has the same Message-ID, by which receivers can drop it: if that is enough, write 'idempotent: true' in its mock`,
};

/** The change that prevents the harm of a repeated call of a function, for the user. */
export const mendOfRepetition = (type: FunctionType): string => MENDS[type];
