import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Console, openConsole } from './browser/console.ts';
import { PAYLOADS } from './browser/payloads.ts';
import { untilReady } from './browser/ready.ts';
import { ask, untilListening, untilStatus, untilTaskOf } from './browser/space.ts';

const NS = 'hostile';
const BASE = `/api/namespaces/${NS}`;

let console_: Console;
let complete: string;
let failed: string;
let asking: string;
let large: string;

const text = (payload: string): string => JSON.stringify(payload);

/** A workflow that logs, returns and keeps each payload; jq writes them, so that YAML is no hindrance. */
const SOURCE = `description: ${text(PAYLOADS[0] ?? '')}
states:
- id: say
  type: noop
  log: 'jq(.payloads | join("\\n"))'
  metadata: 'jq({payloads})'
  transform: 'jq({payloads, names: (.payloads | map({(.): .}) | add)})'
`;

const FAILING = `states:
- id: fail
  type: error
  error: hostile.error
  message: '%s'
  args: ['jq(.payloads | join(" "))']
`;

async function runOf(path: string, source: string): Promise<string> {
  await ask(console_.client, 'PUT', `${BASE}/tree/${path}?op=create-workflow`, source);
  const started = await ask(console_.client, 'POST', `${BASE}/tree/${path}?op=execute`, { payloads: PAYLOADS });
  return String(started?.['instance']);
}

/** Asks with a payload as its subject, and has labels that are payloads. */
const ASKING = `labels: {first: ${text(`jq(.payloads[0])`)}, second: ${text(`jq(.payloads[1])`)}}
states:
- id: ask
  type: approval
  subject: jq(.payloads[2])
  text: 'jq(.payloads | join("\\n"))'
  assignees: jq(.payloads)
  choices: {approve: null}
`;

/** A task that a worker with a payload as its name holds. */
const LABELLING = `functions: [{id: label, type: worker, queue: labelling}]
states: [{id: label, type: action, action: {function: label, input: jq(.payloads)}}]
`;

const HOOK = `start: {type: webhook, verify: {none: true}, event: {type: ${text(PAYLOADS[3] ?? '')}}}
states: [{id: unused, type: noop}]
`;

async function askOutside(): Promise<void> {
  asking = await runOf('ask', ASKING);
  await ask(console_.client, 'PUT', `${BASE}/tree/hook?op=create-workflow`, HOOK);
  await untilListening(console_.client, NS, asking);
  await untilTaskOf(console_.client, NS, await runOf('label', LABELLING));
  const poll = { worker: PAYLOADS[5], wait: 'PT0S' };
  await ask(console_.client, 'POST', `${BASE}/workers/labelling?op=poll`, poll);
}

/** An output of which only the beginning is shown. */
const LARGE = `states: [{id: a, type: noop, transform: 'jq({payloads, rest: ("x" * 3000000)})'}]
`;

/** A key and an event filter with payloads. */
async function storeOthers(): Promise<void> {
  await ask(console_.client, 'POST', '/api/keys', { name: PAYLOADS[0], permission: 'read', namespaces: [NS] });
  await ask(console_.client, 'POST', `${BASE}/eventfilter/hostile`, `return ${text(PAYLOADS.join(' '))} && event`);
}

async function storeVariables(): Promise<void> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="pwned=1"><script>pwned=1</script></svg>`;
  const values = { svg: ['image/svg+xml', svg], html: ['text/html', PAYLOADS.join('\n')] } as const;
  for (const [name, [type, body]] of Object.entries(values)) {
    await console_.client.call('PUT', `${BASE}/vars/${name}`, { body, headers: { 'Content-Type': type } });
  }
  await ask(console_.client, 'PUT', `${BASE}/vars/json`, { payloads: PAYLOADS });
}

beforeAll(async () => {
  console_ = await openConsole();
  await ask(console_.client, 'PUT', BASE);
  complete = await runOf('say', SOURCE);
  failed = await runOf('fail', FAILING);
  await untilStatus(console_.client, NS, complete, 'complete');
  await untilStatus(console_.client, NS, failed, 'failed');
  large = await runOf('large', LARGE);
  await untilStatus(console_.client, NS, large, 'complete');
  await storeVariables();
  await storeOthers();
  await askOutside();
  for (const [index, payload] of PAYLOADS.entries()) {
    const event = {
      specversion: '1.0',
      id: `e-${index}`,
      type: payload,
      source: payload,
      kind: payload,
      data: payload,
    };
    await console_.client.call('POST', `${BASE}/broadcast`, {
      json: event,
      headers: { 'Content-Type': 'application/cloudevents+json' },
    });
  }
});

afterEach(() => console_.closePages());

afterAll(async () => {
  await console_.close();
  // An attempt that the content security policy stopped would be here too.
  expect(console_.faults).toEqual([]);
});

const runPage = (id: string, tab: string): string => `n/${NS}/runs/${id}?tab=${tab}`;

const PAGES: Readonly<Record<string, () => string>> = {
  'the overview': () => `n/${NS}`,
  'the source of a workflow': () => `n/${NS}/tree/say`,
  'the log of a run': () => runPage(complete, 'log'),
  'the data of a run': () => runPage(complete, 'data'),
  'the metadata of a run': () => runPage(complete, 'metadata'),
  'the error of a run': () => runPage(failed, 'source'),
  'a step of a run': () => `${runPage(complete, 'step')}&step=1`,
  'a failed step of a run': () => `${runPage(failed, 'step')}&step=1`,
  'the children of a run': () => runPage(complete, 'children'),
  'a run to repeat': () => `n/${NS}/runs/${failed}?repeat=input`,
  'runs to repeat': () => `n/${NS}/runs?status=failed&bulk=rerun&error=${encodeURIComponent(PAYLOADS[4] ?? '')}`,
  'runs to cancel': () => `n/${NS}/runs?status=pending&bulk=cancel`,
  'the runs': () => `n/${NS}/runs`,
  'the events': () => `n/${NS}/events`,
  'the listeners': () => `n/${NS}/events?view=waiting`,
  'the event filters': () => `n/${NS}/events?view=filters`,
  'the failed deliveries': () => `n/${NS}/events?view=failed`,
  'the tree': () => `n/${NS}/tree/`,
  'the runs of a workflow': () => `n/${NS}/tree/say?tab=runs`,
  'the times of a workflow': () => `n/${NS}/tree/fail?tab=metrics`,
  'the settings of a workflow': () => `n/${NS}/tree/say?tab=settings`,
  'the keys': () => 'keys',
  'the secrets': () => `n/${NS}/secrets`,
  'the settings': () => `n/${NS}/settings`,
  'a large output': () => runPage(large, 'data'),
  'an event': () => `n/${NS}/events/e-1`,
  'a form for an event': () => `n/${NS}/events?send=${encodeURIComponent(PAYLOADS[4] ?? '')}`,
  'the approvals': () => `n/${NS}/approvals`,
  'an approval': () => `n/${NS}/approvals?run=${asking}`,
  'a run that waits for a decision': () => `n/${NS}/runs/${asking}`,
  'the tasks of a queue': () => `n/${NS}/workers?queue=labelling`,
  'a webhook': () => `n/${NS}/webhooks?workflow=%2Fhook`,
  'the audit log': () => 'audit',
  'the metrics': () => `n/${NS}/metrics`,
  'the log of the namespace': () => `n/${NS}/log`,
  'a variable of JSON': () => `n/${NS}/variables?name=json`,
  'a variable that is an SVG': () => `n/${NS}/variables?name=svg`,
  'a variable that is HTML': () => `n/${NS}/variables?name=html`,
};

async function whatRan(path: string): Promise<unknown> {
  const page = await console_.open(path);
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const outside: string[] = [];
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'blob:' && origin !== new URL(console_.client.url).origin) outside.push(request.url());
  });
  await untilReady(page);
  // A script that an image or an animation starts would run a moment later than the page.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100))));
  const ran = await page.evaluate(() => ({
    pwned: Reflect.get(window, 'pwned') ?? null,
    strange: document.querySelectorAll('script:not([src]), iframe, object, embed, base ~ base, [onerror], [onload]')
      .length,
  }));
  return { ...ran, dialogs, outside };
}

const NOTHING = { pwned: null, strange: 0, dialogs: [], outside: [] };

describe('content that would run as a script', () => {
  test.each(Object.keys(PAGES))('is only shown by %s', async (name) => {
    expect(await whatRan(PAGES[name]?.() ?? '')).toEqual(NOTHING);
  });

  test('is only text in an address, whatever part of it', async () => {
    for (const payload of PAYLOADS.slice(0, 12).map(encodeURIComponent)) {
      const addresses = [
        `n/${payload}/runs`,
        `n/${NS}/tree/${payload}`,
        `n/${NS}/runs?workflow=${payload}&status=${payload}&since=${payload}`,
      ];
      for (const address of addresses) expect(await whatRan(address)).toEqual(NOTHING);
      await console_.closePages();
    }
  });
});
