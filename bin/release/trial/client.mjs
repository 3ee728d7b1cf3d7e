// The client of the package against a service: stores a workflow, runs it and prints its output.
import { createClient, WeftError } from 'weft-workflows/client';

const namespace = process.argv[2];
const weft = createClient({ url: process.env.WEFT_URL, key: process.env.WEFT_KEY });
await weft.call('createNamespace', { path: { namespace } });
const body = 'states:\n- {id: greet, type: noop, transform: {text: hello}}\n';
await weft.call('createWorkflow', { path: { namespace, node: 'greet' }, body });
const output = await weft.call('waitWorkflow', { path: { namespace, node: 'greet' } });
console.log(JSON.stringify(JSON.parse(await output.text())));
const refusal = await weft.call('getRouter', { path: { namespace, node: 'nosuch' } }).catch((error) => error);
console.log(refusal instanceof WeftError ? refusal.status : refusal);
