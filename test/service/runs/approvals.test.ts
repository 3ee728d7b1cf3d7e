import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type Client, type Json, openClient, rowsOf } from '../access/client.ts';

const NAMESPACE = '/api/namespaces/approvals';

let client: Client;
beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', NAMESPACE);
});
afterAll(() => client.close());

/** A workflow that sends its links to a variable. */
const workflowOf = (fields: string): string => `
timeouts: {interrupt: P3D, kill: P4D}
functions: [{id: tell, type: subflow, workflow: tell}]
states:
- id: sign-off
  type: approval
  subject: 'jq("Refund of " + (.amount | tostring))'
  choices: {approve: paid, refuse: refused, later: null}
  notify: {function: tell, input: {links: jq(.links), subject: jq(.subject)}}
  timeout: P2D
${fields}
- {id: paid, type: noop, transform: 'jq({paid: true, decision: .return})'}
- {id: refused, type: noop, transform: 'jq({paid: false, decision: .return})'}
- {id: late, type: noop, transform: 'jq({late: true, error: .error.code})'}
`;

const TELL = `states:
- {id: keep, type: setter, variables: [{key: mail, scope: namespace, value: jq(.)}]}
`;

interface Asked {
  readonly instance: string;
  readonly links: Readonly<Record<string, string>>;
}

let stored = 0;

/** Starts a run and returns the links that it sends. */
async function ask(fields = '', input: object = { amount: 7 }): Promise<Asked> {
  const path = `refund-${++stored}`;
  if (stored === 1) await client.call('PUT', `${NAMESPACE}/tree/tell?op=create-workflow`, { body: TELL });
  const made = await client.call('PUT', `${NAMESPACE}/tree/${path}?op=create-workflow`, { body: workflowOf(fields) });
  expect([made.status, made.text]).toEqual([200, expect.anything()]);
  await client.call('DELETE', `${NAMESPACE}/vars/mail`);
  const started = await client.call('POST', `${NAMESPACE}/tree/${path}?op=execute`, { json: input });
  const instance = String(started.json()['instance']);
  await waiting(instance);
  const mail = await until(
    () => client.call('GET', `${NAMESPACE}/vars/mail`),
    ({ status }) => status === 200,
  );
  const links = mail.json()['links'] as unknown as Readonly<Record<string, string>>;
  return { instance, links: Object.fromEntries(Object.entries(links).map(([name, url]) => [name, pathOf(url)])) };
}

const pathOf = (url: string): string => (url.startsWith('/') ? url : new URL(url).pathname);

async function until<T>(read: () => Promise<T>, isReady: (value: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 500; tries += 1) {
    const value = await read();
    if (isReady(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('it did not become so in time');
}

const waiting = (instance: string): Promise<Answer> =>
  until(
    () => client.call('GET', `${NAMESPACE}/instances/${instance}/waiting`),
    (answer) => answer.json()['waiting']?.['for']?.['approval'] !== undefined,
  );

async function outputOf(instance: string): Promise<Json> {
  const path = `${NAMESPACE}/instances/${instance}`;
  await until(
    () => client.call('GET', path),
    (answer) => String(answer.json()['instance']?.['status']) !== 'pending',
  );
  const { data } = (await client.call('GET', `${path}/output`)).json();
  return JSON.parse(Buffer.from(String(data), 'base64').toString('utf8')) as Json;
}

/** A request of a browser, without a key. */
const browse = (method: string, link: string | undefined, body?: Record<string, string>): Promise<Answer> =>
  client.call(method, link ?? '', {
    key: null,
    ...(body === undefined ? {} : { body: new URLSearchParams(body).toString() }),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });

describe('the link of an approval', () => {
  test('shows a page that decides nothing, and decides once by its form', async () => {
    const { instance, links } = await ask();
    expect(Object.keys(links)).toEqual(['approve', 'later', 'refuse']);
    const page = await browse('GET', links['approve']);
    expect(page.status).toBe(200);
    expect(page.text).toContain('<h1>Refund of 7</h1>');
    expect(page.text).toContain('<button type="submit">approve</button>');
    expect((await browse('POST', links['approve'], { by: 'Ada' })).text).toContain('Decided');
    const { paid, decision } = await outputOf(instance);
    expect([paid, decision]).toEqual([
      true,
      { choice: 'approve', form: {}, by: 'Ada', at: expect.stringMatching(/^20.*Z$/), from: expect.any(String) },
    ]);
    for (const link of Object.values(links)) {
      expect([(await browse('GET', link)).status, (await browse('POST', link, { by: 'Bob' })).status]).toEqual([
        404, 404,
      ]);
    }
  });

  test('has a page without script that shows nothing to others', async () => {
    const { links } = await ask("  text: '<script>x</script>'\n  assignees: [Ada, '<b>Bob</b>']", {
      amount: '<i>7</i>',
    });
    const { text, headers } = await browse('GET', links['refuse']);
    expect(text).not.toMatch(/<script|<b>|<i>/);
    expect(text).toContain('&lt;script&gt;x&lt;/script&gt;');
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'/,
      ),
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
    });
    expect(text).toMatch(/<label for="by">Your name<\/label><input id="by"/);
  });

  test('is not accepted with another signature, choice or run', async () => {
    const { instance, links } = await ask();
    const link = links['approve'] ?? '';
    const others = [
      link.replace(/.$/, (end) => (end === 'A' ? 'B' : 'A')),
      link.replace('/approve/', '/refuse/'),
      link.replace('/approve/', '/unknown/'),
      link.replace(instance, '00000000-0000-4000-8000-000000000000'),
      link.slice(0, link.lastIndexOf('/')),
    ];
    const replies = await Promise.all(others.map((other) => browse('POST', other, { by: 'Eve' })));
    expect(replies.map(({ status, text }) => [status, text])).toEqual(others.map(() => [404, replies[0]?.text]));
    expect((await waiting(instance)).status).toBe(200);
  });

  test('needs a name', async () => {
    const { links } = await ask();
    const { status, text } = await browse('POST', links['approve'], { by: '  ' });
    expect([status, text]).toEqual([400, expect.stringContaining('role="alert"')]);
  });

  test('is decided by one of many requests at once', async () => {
    const { instance, links } = await ask();
    const names = Array.from({ length: 8 }, (_, n) => `p${n}`);
    const replies = await Promise.all(
      names.map((by, n) => browse('POST', n % 2 === 0 ? links['approve'] : links['refuse'], { by })),
    );
    const winners = names.filter((_, n) => replies[n]?.status === 200);
    expect(winners).toHaveLength(1);
    expect((await outputOf(instance))['decision']?.['by']).toBe(winners[0]);
  });

  test('ends the run for a choice without a next state', async () => {
    const { instance, links } = await ask();
    await browse('POST', links['later'], { by: 'Ada' });
    expect((await outputOf(instance))['return']).toMatchObject({ choice: 'later', by: 'Ada' });
  });
});

const FORM = `  form:
    type: object
    required: [amount, reason]
    properties:
      amount: {type: number, minimum: 1, title: Amount in euros}
      reason: {type: string, enum: [damage, delay]}
      urgent: {type: boolean, description: Pay today}
      comment: {type: string}`;

describe('the form of an approval', () => {
  test('has a labelled field for each property, and its values are in the decision', async () => {
    const { instance, links } = await ask(FORM);
    const { text } = await browse('GET', links['approve']);
    for (const name of ['amount', 'reason', 'urgent', 'comment']) expect(text).toContain(`<label for="form.${name}">`);
    const values = {
      'form.amount': '12.5',
      'form.reason': 'delay',
      'form.urgent': 'true',
      'form.comment': '',
      by: 'Ada',
    };
    await browse('POST', links['approve'], values);
    expect((await outputOf(instance))['decision']?.['form']).toEqual({ amount: 12.5, reason: 'delay', urgent: true });
  });

  test('is shown again with what it held if it is not valid', async () => {
    const { instance, links } = await ask(FORM);
    const values = { 'form.amount': '0', 'form.reason': 'damage', 'form.comment': 'a "b"', by: 'Ada' };
    const { status, text } = await browse('POST', links['approve'], values);
    expect([status, text]).toEqual([400, expect.stringContaining('role="alert"')]);
    expect(text).toContain('value="a &quot;b&quot;"');
    expect((await waiting(instance)).status).toBe(200);
  });

  test('is sent as JSON by programs', async () => {
    const { instance, links } = await ask(FORM);
    const post = (json: unknown) =>
      client.call('POST', links['refuse'] ?? '', { key: null, json, headers: { 'Content-Type': 'application/json' } });
    expect((await post({ by: 'bot', form: { amount: 5 } })).status).toBe(400);
    expect((await post([])).status).toBe(400);
    const { status, text } = await post({ by: 'bot', form: { amount: 5, reason: 'damage' } });
    expect([status, JSON.parse(text)]).toEqual([200, { instance, choice: 'refuse' }]);
    expect((await outputOf(instance))['paid']).toBe(false);
  });
});

test('a decision that costs more than its bytes is a mistake', async () => {
  const { instance, links } = await ask();
  const post = (body: string, type: string) =>
    client.call('POST', links['approve'] ?? '', { key: null, body, headers: { 'Content-Type': type } });
  const deep = `{"by":"Ada","form":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`;
  expect((await post(deep, 'application/json')).status).toBe(400);
  for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
    expect((await post(' '.repeat(300_000), type)).status).toBe(413);
  }
  expect((await waiting(instance)).status).toBe(200);
});

test('open approvals are listed by workflow and assignee', async () => {
  const { instance, links } = await ask('  assignees: jq(.who)', { amount: 7, who: ['Ada Byron', 'ops'] });
  const list = async (query: string): Promise<readonly Json[]> =>
    rowsOf((await client.call('GET', `${NAMESPACE}/approvals?${query}`)).json()['approvals']);
  expect(await list(`workflow=refund-${stored}`)).toEqual([
    {
      instance,
      workflow: `/refund-${stored}`,
      state: 'sign-off',
      subject: 'Refund of 7',
      text: '',
      assignees: ['Ada Byron', 'ops'],
      since: expect.any(String),
      until: expect.stringMatching(/Z$/),
      reminders: 0,
    },
  ]);
  expect(await list('assignee=byron')).toHaveLength(1);
  expect(await list('assignee=nobody')).toEqual([]);
  await browse('POST', links['approve'], { by: 'Ada' });
  await outputOf(instance);
  expect(await list('assignee=byron')).toEqual([]);
});

test('an event of the bus decides no approval', async () => {
  const { instance } = await ask();
  const data = { choice: 'approve', form: {}, by: 'Eve', at: '', from: '' };
  const event = { specversion: '1.0', id: 'forged', source: 's', type: 'weft.approval', data };
  expect((await client.call('POST', `${NAMESPACE}/broadcast`, { json: event })).status).toBe(200);
  expect((await waiting(instance)).status).toBe(200);
});

test('the record of the run has who decided and when', async () => {
  const { instance, links } = await ask();
  await browse('POST', links['approve'], { by: 'Ada' });
  await outputOf(instance);
  const timeline = (await client.call('GET', `${NAMESPACE}/instances/${instance}/timeline`)).json();
  const step = rowsOf(timeline['steps']).find(({ state }) => String(state) === 'sign-off');
  expect(String(step?.['because'])).toBe('choice approve');
  expect(JSON.stringify(step?.['change'])).toContain('"by":"Ada"');
  const logs = await client.call('GET', `${NAMESPACE}/instances/${instance}/logs`);
  expect(logs.text).toContain("Approval decided: 'approve' by 'Ada' from ");
});

describe('a key', () => {
  const approvalOf = (instance: string): string => `${NAMESPACE}/approvals/${instance}`;
  const FORM = `  form:
    type: object
    required: [comment]
    properties: {comment: {type: string}}`;

  test('reads the choices and the form of an approval, and decides once, by its own name', async () => {
    const { instance } = await ask(FORM);
    const { approval } = (await client.call('GET', approvalOf(instance))).json();
    expect(approval).toMatchObject({
      instance,
      state: 'sign-off',
      subject: 'Refund of 7',
      choices: ['approve', 'refuse', 'later'],
      form: { required: ['comment'] },
      until: expect.stringMatching(/Z$/),
    });
    const refused = await client.call('POST', approvalOf(instance), { json: { choice: 'approve' } });
    expect([refused.status, refused.json()['message']]).toEqual([400, expect.stringContaining('comment')]);
    const unknown = await client.call('POST', approvalOf(instance), { json: { choice: 'perhaps' } });
    expect([unknown.status, unknown.json()['message']]).toEqual([
      400,
      "the approval has no choice 'perhaps'; it has approve, refuse, later",
    ]);
    const decision = { choice: 'refuse', form: { comment: 'too late' } };
    const decided = await client.call('POST', approvalOf(instance), { json: decision });
    expect(decided.status).toBe(200);
    expect(decided.json()).toMatchObject({ instance, choice: 'refuse', by: expect.stringMatching(/./) });
    const { paid, decision: seen } = await outputOf(instance);
    expect([paid, seen]).toEqual([false, expect.objectContaining({ ...decision, by: decided.json()['by'] })]);
    const late = await client.call('POST', approvalOf(instance), { json: { ...decision, choice: 'approve' } });
    expect([late.status, late.json()['message']]).toEqual([404, expect.stringContaining('waits for no decision')]);
  });

  test('shows calls of notify that failed, and so does the timeline of the run', async () => {
    const source = `functions: [{id: f, type: http, url: 'http://127.0.0.1:1/'}]
states:
- {id: first, type: action, async: true, action: {function: f}, transition: sign-off}
- {id: sign-off, type: approval, subject: Pay, choices: {approve: ~, refuse: ~}, notify: {function: f}}
`;
    const tree = `${NAMESPACE}/tree/unsent`;
    const stored = await client.call('PUT', `${tree}?op=create-workflow`, { body: source });
    expect(stored.status, stored.text).toBe(200);
    const instance = String((await client.call('POST', `${tree}?op=execute`)).json()['instance']);
    const failure = {
      code: expect.stringMatching(/^service\.http\./),
      message: expect.stringContaining('127.0.0.1:1'),
    };
    const shown = async () => (await client.call('GET', approvalOf(instance))).json()['approval'];
    await expect
      .poll(shown, { timeout: 20_000 })
      .toMatchObject({ failures: [{ instance: expect.stringMatching(/^[0-9a-f-]{36}$/), ...failure }] });
    const steps = async () =>
      rowsOf((await client.call('GET', `${NAMESPACE}/instances/${instance}/timeline`)).json()['steps']);
    const failed = { calls: [{ call: 0, attempt: 0, unawaited: true, error: failure }], callCount: 1 };
    await expect.poll(steps, { timeout: 20_000 }).toMatchObject([
      { state: 'first', ...failed },
      { state: 'sign-off', ...failed },
    ]);
    // What the run keeps is kept by its further commits.
    await client.call('POST', approvalOf(instance), { json: { choice: 'approve' } });
    expect(await steps()).toMatchObject([failed, failed]);
  });

  test('needs the permission to run, and a run that waits for a decision', async () => {
    const { instance } = await ask();
    const key = (await client.call('POST', '/api/keys', { json: { name: 'reader', permission: 'read' } })).json();
    const reader = { key: String(key['secret']) };
    expect((await client.call('GET', approvalOf(instance), reader)).status).toBe(200);
    const denied = await client.call('POST', approvalOf(instance), { ...reader, json: { choice: 'approve' } });
    expect(denied.status).toBe(403);
    await client.call('DELETE', `/api/keys/${String(key['key']?.['id'])}`);
    await client.call('POST', `${NAMESPACE}/instances/${instance}/cancel`);
    const over = await client.call('GET', approvalOf(instance));
    expect([over.status, over.json()['message']]).toEqual([404, expect.stringContaining('waits for no decision')]);
  });
});
