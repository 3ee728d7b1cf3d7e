/** The application that DBOS runs in, with HTTP in front: `dbos.ts FOLDER_OF_PACKAGES URL_OF_DATABASE`. Sends its port. */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

type Workflow = (key: string) => Promise<unknown>;

/** The part of the package that is used. */
interface Dbos {
  setConfig(config: { name: string; systemDatabaseUrl: string; logLevel: string }): void;
  launch(): Promise<void>;
  registerWorkflow(workflow: Workflow, options: { name: string }): Workflow;
  runStep(step: () => Promise<unknown>, options: { name: string }): Promise<unknown>;
  startWorkflow(
    workflow: Workflow,
    options?: { workflowID: string },
  ): (key: string) => Promise<{ getResult(): Promise<unknown> }>;
  send(workflow: string, message: unknown): Promise<void>;
  recv(): Promise<unknown>;
}

const [, , packages = '', systemDatabaseUrl = ''] = process.argv;
const { DBOS } = createRequire(join(packages, 'package.json'))('@dbos-inc/dbos-sdk') as { DBOS: Dbos };

const step = (n: number) => DBOS.runStep(async () => n, { name: `step-${n}` });
let waiting = 0;

const child = DBOS.registerWorkflow(async (key) => key, { name: 'child' });
const workflows: Record<string, Workflow> = {
  one: () => step(0),
  async chain() {
    for (let n = 0; n < 10; n += 1) await step(n);
  },
  async calls(key) {
    for (let n = 0; n < 10; n += 1) await (await DBOS.startWorkflow(child)(key)).getResult();
  },
  async fan(key) {
    const handles = await Promise.all(Array.from({ length: 20 }, () => DBOS.startWorkflow(child)(key)));
    await Promise.all(handles.map((handle) => handle.getResult()));
  },
  async wait() {
    waiting += 1;
    const message = await DBOS.recv();
    waiting -= 1;
    return message;
  },
};
const registered = new Map(
  Object.entries(workflows).map(([name, work]) => [name, DBOS.registerWorkflow(work, { name })]),
);

let pending = 0;

async function answer(work: string, key: string): Promise<unknown> {
  if (work === 'counts') return { pending, waiting };
  if (work === 'signal') return DBOS.send(key, 'go');
  const workflow = registered.get(work === 'begin' ? 'one' : work);
  if (workflow === undefined) throw new Error(`no work ${work}`);
  const handle = await DBOS.startWorkflow(workflow, { workflowID: key })(key);
  if (work !== 'begin') return handle.getResult();
  pending += 1;
  void handle.getResult().finally(() => {
    pending -= 1;
  });
  return key;
}

DBOS.setConfig({ name: 'bench', systemDatabaseUrl, logLevel: 'error' });
await DBOS.launch();
const server = createServer(async (request, response) => {
  const [, work = '', key = ''] = (request.url ?? '').split('/');
  request.resume();
  const [status, value] = await answer(work, key).then(
    (result) => [200, result ?? null],
    (error: unknown) => [500, String(error)],
  );
  const text = JSON.stringify(value);
  response.writeHead(Number(status), { 'Content-Length': Buffer.byteLength(text) }).end(text);
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
