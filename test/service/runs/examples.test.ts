import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import { compile } from '../../../lib/compiler/compile.ts';
import { emit } from '../../../lib/compiler/emit/emit.ts';
import { isWaitFree } from '../../../lib/compiler/plan/execution.ts';
import { addressOfServers, isDeployed, LOOPBACK } from '../../deployed/target.ts';
import { closeMailServers, type MailServerRules, type ReceivedMail, serveMail } from '../../egress/mail-server.ts';
import { type AnsweringServer, type AnswerScript, startAnswering } from '../access/answering-server.ts';
import { type Answer, type Client, openClient } from '../access/client.ts';
import { EventSpace, type TestEvent } from '../events/space.ts';
import { serveQueue, type WorkerScript } from './scripted-worker.ts';

interface Run {
  /** The tree path of the workflow to run; by default the example itself. */
  readonly workflow?: string;
  readonly input: unknown;
  /** Sent in sequence once the run waits for events. */
  readonly events?: readonly TestEvent[];
  /** Decides the approval, once all mails have arrived that the example shall send. */
  readonly decision?: { readonly choice: string; readonly form?: object; readonly by: string };
  /** The answers of the workers of each queue: by the text of a task's input, in sequence; the last one is repeated. */
  readonly workers?: Readonly<Record<string, WorkerScript>>;
  readonly output?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
}

const folder = new URL('../../../examples/', import.meta.url);
const names = readdirSync(folder).filter((name) => existsSync(new URL(`${name}/workflow.yaml`, folder)));
const read = (name: string, file: string): string => readFileSync(new URL(`${name}/${file}`, folder), 'utf8');

/** The workflows of an example by their tree paths: the example itself, and those in `flows/`. */
function workflowsOf(name: string): ReadonlyMap<string, string> {
  const flows = new URL(`${name}/flows/`, folder);
  const files = existsSync(flows) ? readdirSync(flows, { recursive: true, encoding: 'utf8' }) : [];
  const others = files.filter((file) => file.endsWith('.yaml'));
  return new Map([
    [name, read(name, 'workflow.yaml')],
    ...others.map((file): [string, string] => [file.replace(/\.yaml$/, ''), read(name, `flows/${file}`)]),
  ]);
}

const directoriesOf = (paths: Iterable<string>): string[] => {
  const nested = [...paths].flatMap((path) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index)));
  return [...new Set(nested)].toSorted();
};

/** The address of the servers of the examples; undefined: the service under test cannot reach one. */
const HOST = addressOfServers();
const SERVERS = ['server.yml', 'mail.yml'];
const has = (name: string, file: string): boolean => existsSync(new URL(`${name}/${file}`, folder));

/** The server that an example calls, by its `server.yml`; undefined without one. */
async function serverOf(name: string): Promise<AnsweringServer | undefined> {
  if (!existsSync(new URL(`${name}/server.yml`, folder))) return undefined;
  return startAnswering(load(read(name, 'server.yml')) as AnswerScript, HOST);
}

/** The mail server of an example with a `mail.yml`, and the mails that it shall get. */
interface MailScript extends MailServerRules {
  readonly received: readonly (Pick<ReceivedMail, 'from' | 'to'> & { readonly contains: readonly string[] })[];
}

const mailOf = (name: string): MailScript | undefined =>
  existsSync(new URL(`${name}/mail.yml`, folder)) ? (load(read(name, 'mail.yml')) as MailScript) : undefined;

/** The endpoint of Lambda for an example with a `lambda.yml`: the service under test finds it in its environment. */
async function lambdaOf(name: string): Promise<AnsweringServer | undefined> {
  if (!existsSync(new URL(`${name}/lambda.yml`, folder))) return undefined;
  const endpoint = await startAnswering(load(read(name, 'lambda.yml')) as AnswerScript);
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', endpoint.url);
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
  return endpoint;
}

let client: Client;

/** Decides the approval of an example. */
async function decide(name: string, decision: NonNullable<Run['decision']>): Promise<Answer> {
  const approvals = `/api/namespaces/${name}/approvals`;
  const open = (await client.call('GET', approvals)).json()['approvals'] as unknown as { instance: string }[];
  return client.call('POST', `${approvals}/${open[0]?.instance}`, { json: decision });
}

/** Stores an example in a separate namespace, with the settings of its `config.json`; `port` is that of its mail server. */
async function store(name: string, port?: number): Promise<Answer[]> {
  const namespace = `/api/namespaces/${name}`;
  const workflows = workflowsOf(name);
  const answers = [await client.call('PUT', namespace)];
  for (const path of directoriesOf(workflows.keys())) {
    answers.push(await client.call('PUT', `${namespace}/tree/${path}?op=create-directory`));
  }
  for (const [path, body] of workflows) {
    answers.push(await client.call('PUT', `${namespace}/tree/${path}?op=create-workflow`, { body }));
  }
  const config = has(name, 'config.json') ? (JSON.parse(read(name, 'config.json')) as { readonly mail?: object }) : {};
  const json = {
    ...config,
    ...(port === undefined ? {} : { mail: { ...config.mail, host: HOST, port } }),
    ...(HOST !== LOOPBACK && SERVERS.some((file) => has(name, file)) ? { egress: [HOST] } : {}),
  };
  if (Object.keys(json).length > 0) answers.push(await client.call('PATCH', `${namespace}/config`, { json }));
  return answers;
}

beforeAll(async () => {
  client = await openClient();
});

afterAll(async () => {
  await closeMailServers();
  await client.close();
});

describe.concurrent.each(names)('example %s', (name) => {
  const needsServer = SERVERS.some((file) => has(name, file));
  // The endpoint of Lambda is in the environment of the service.
  const isReachable = !has(name, 'lambda.yml') && (HOST !== undefined || !needsServer);

  test.runIf(!isDeployed() || isReachable)('has the outputs of its runs', async ({ expect }) => {
    const mail = mailOf(name);
    const inbox = mail && (await serveMail(mail, HOST));
    for (const { status, text } of await store(name, inbox?.port)) expect(status, text).toBe(200);
    await using closers = new AsyncDisposableStack();
    const server = await serverOf(name);
    closers.defer(async () => server?.close());
    const lambda = await lambdaOf(name);
    closers.defer(async () => lambda?.close());
    const runs = load(read(name, 'runs.yaml').replaceAll('SERVER', server?.url ?? 'SERVER')) as readonly Run[];
    for (const { workflow = name, input, events, decision, workers = {}, output, error } of runs) {
      if (events !== undefined) {
        const space = new EventSpace(client, name);
        const instance = await space.executeListening(workflow, input);
        for (const event of events) await space.send(event);
        expect((await space.ended(instance)).output).toEqual(output);
        continue;
      }
      const path = `/api/namespaces/${name}/tree/${workflow}?op=wait`;
      const answering = client.call('POST', path, { json: input });
      const serving = Object.entries(workers).map(([queue, script]) =>
        serveQueue(client, `/api/namespaces/${name}/workers/${queue}`, script, answering),
      );
      if (decision !== undefined) {
        await expect.poll(() => inbox?.mails.length).toBe(mail?.received.length);
        const { status, text } = await decide(name, decision);
        expect(status, text).toBe(200);
      }
      const [answer] = await Promise.all([answering, ...serving]);
      expect(answer.status, answer.text).toBe(error === undefined ? 200 : 500);
      if (error === undefined) expect(answer.json()).toEqual(output);
      else expect(answer.text).toContain(`${error.code}: ${error.message}`);
    }
    expect(runs.length).toBeGreaterThan(0);
    expect(inbox?.mails.map(({ from, to }) => ({ from, to }))).toEqual(
      mail?.received.map(({ from, to }) => ({ from, to })),
    );
    for (const [index, { contains }] of (mail?.received ?? []).entries())
      for (const part of contains) expect(inbox?.mails[index]?.text).toContain(part);
  });

  test('compiles to the state machine beside it', async ({ expect }) => {
    const compiled = compile(read(name, 'workflow.yaml'));
    if (!('plan' in compiled)) throw new Error('the example does not compile');
    // Of a workflow that may wait, the machine that contains the wait.
    const { definition } = emit(compiled.plan, isWaitFree(compiled.plan) ? 'start' : 'anyState');
    await expect(`${JSON.stringify(definition, null, 2)}\n`).toMatchFileSnapshot(
      new URL(`${name}/machine.asl.json`, folder).pathname,
    );
  });
});
