// A worker of the package: does one task of a service, and prints the output of the workflow that waits for it.
import { createClient } from 'weft-workflows/client';
import { startWorker } from 'weft-workflows/worker';

const namespace = process.argv[2];
const { WEFT_URL: url, WEFT_KEY: key } = process.env;
const weft = createClient({ url, key });
await weft.call('createNamespace', { path: { namespace } });
const body = `functions:
- {id: double, type: worker, queue: numbers}
states:
- {id: ask, type: action, action: {function: double, input: {number: jq(.number)}}, transform: jq(.return)}
`;
await weft.call('createWorkflow', { path: { namespace, node: 'doubled' }, body });
const worker = startWorker({ url, key, namespace, queue: 'numbers', wait: 'PT1S' }, ({ input }) => ({
  double: input.number * 2,
}));
const path = { namespace, node: 'doubled' };
const output = await weft.call('waitWorkflowWithBody', { path, body: JSON.stringify({ number: 21 }) });
console.log(JSON.stringify(JSON.parse(await output.text())));
await worker.stop();
