import { compile } from '../../../compiler/compile.ts';
import { parseJson } from '../../../language/json-numbers.ts';
import type { Engine } from '../../../language/scripts/engine.ts';
import { findingsOf } from '../../../lint/findings.ts';
import type { Reading } from '../../../ports/reader.ts';
import { pricedRuns } from '../../../pricing/reply.ts';

/** How a text is read for each result. */
const READ: { readonly [K in Reading['as']]: (source: string, reading: Extract<Reading, { as: K }>) => unknown } = {
  plan: compile,
  findings: findingsOf,
  prices: (source, { items }) => {
    const compiled = compile(source);
    return 'plan' in compiled ? pricedRuns(compiled.plan, items) : [];
  },
};

/** An engine whose source is the text of a workflow, whose data is a `Reading`, and whose result is what it asks for. */
export function createWorkflowEngine(): Engine {
  return {
    run(source, data) {
      const reading = parseJson(data) as Reading;
      const read = READ[reading.as] as (source: string, reading: Reading) => unknown;
      return { text: JSON.stringify(read(source, reading)) };
    },
  };
}
