import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type LocalTable, openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as secrets from '../../../lib/domain/credentials/secrets.ts';
import { configure } from '../../../lib/domain/namespaces/config.ts';
import type { MailChanges } from '../../../lib/domain/namespaces/mail-settings.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import type { Run } from '../../../lib/domain/runs/runs.ts';
import { MailRefusedError, type MailRequest, UnreachableError } from '../../../lib/ports/callees/web.ts';
import { ProgrammedWeb } from '../../contract/programmed-web.ts';
import { World } from '../world/engine-world.ts';
import { runsOf, unfinishedOf } from '../world/snapshot.ts';

let database: LocalTable;
beforeAll(async () => {
  database = await openLocalTable();
});
afterAll(() => database.close());

const worlds: World[] = [];
afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});

interface Given {
  readonly accept?: (request: MailRequest) => Promise<void>;
  readonly input?: unknown;
  readonly secrets?: Readonly<Record<string, string>>;
  /** The setting `mail` of the namespace. */
  readonly mail?: MailChanges;
}

interface Observed {
  readonly main: Run;
  readonly web: ProgrammedWeb;
  readonly world: World;
  /** The result of the state, and its error. */
  readonly result: unknown;
  readonly error: unknown;
}

const SERVER = 'server: {host: mail.test}, from: Shop <shop@example.com>';

/** A workflow whose state `go` calls the mail function `f`, after it has stored the variable `report`. */
const workflowOf = (fields: string, action = ''): string => `functions:
- {id: f, type: mail, ${fields}}
states:
- {id: keep, type: setter, variables: [{key: report, scope: instance, value: cmVwb3J0, mimeType: text/plain}], transition: go}
- id: go
  type: action
  action: {function: f${action}}
  catch: [{error: '*'}]
`;

async function run(source: string, given: Given = {}): Promise<Observed> {
  const { accept, input = {}, secrets: values = {}, mail } = given;
  const web = new ProgrammedWeb();
  if (accept !== undefined) web.accept = accept;
  const world = new World(database, { web });
  worlds.push(world);
  await world.store({ main: source });
  const namespace = await namespaces.need(world.reliable, world.namespace);
  for (const [name, value] of Object.entries(values))
    await secrets.set(world.reliable, namespace, name, Buffer.from(value));
  if (mail !== undefined) await configure(world.reliable, world.namespace, { mail });
  const { id } = await world.execute('main', JSON.stringify(input));
  await world.pass();
  expect(unfinishedOf(world)).toEqual([]);
  const main = (await runsOf(world)).find((one) => one.id === id);
  if (main === undefined) throw new Error('there is no such run');
  return { main, web, world, result: main.data['return'], error: main.data['error'] };
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

describe('the mail of a function', () => {
  test('has the fields of the function and of the input, and the variables as attachments', async () => {
    const fields = `${SERVER}, to: 'jq(.to)', subject: 'Order jq(.id)', text: never`;
    const input = `{cc: ['"Doe, Jane" <jane@example.com>'], bcc: hidden@example.com, replyTo: help@example.com,
      text: 'jq("Sum: \\(.sum)")', html: <b>Hi</b>, attachments: [{name: report, as: Report.txt}]}`;
    const { web, result, world } = await run(workflowOf(fields, `, input: ${input}`), {
      input: { to: ['ada@example.com', 'Bob <bob@example.com>'], id: 7, sum: 9 },
    });
    const [delivery] = web.deliveries;
    expect(web.deliveries).toHaveLength(1);
    expect(delivery?.server).toEqual({ host: 'mail.test', port: 587, tls: 'offered', isInsecure: false });
    expect(delivery?.ms).toBe(30_000);
    expect(delivery?.mails).toMatchObject([
      {
        from: '"Shop" <shop@example.com>',
        to: ['ada@example.com', '"Bob" <bob@example.com>'],
        cc: ['"Doe, Jane" <jane@example.com>'],
        bcc: ['hidden@example.com'],
        replyTo: ['help@example.com'],
        subject: 'Order 7',
        text: 'Sum: 9',
        html: '<b>Hi</b>',
        attachments: [{ name: 'Report.txt' }],
      },
    ]);
    expect(Buffer.from(delivery?.mails[0]?.attachments[0]?.bytes ?? []).toString()).toBe('cmVwb3J0');
    expect(delivery?.mails[0]?.id).toMatch(new RegExp(`^<${UUID}@example\\.com>$`));
    expect(result).toEqual({ messageId: delivery?.mails[0]?.id });
    // It is sent within the step of its state.
    expect(world.started.size).toBe(1);
  });

  test('is sent with a login of secrets, which no error shows', async () => {
    const login = 'server: {host: mail.test, port: 465, user: USER, password: PASS}';
    const { web, error } = await run(workflowOf(`${login}, from: a@test, to: b@test`), {
      secrets: { USER: 'ada', PASS: 's3cret' },
      accept: async () => Promise.reject(new MailRefusedError("'mail.test' refused AUTH: 535 no s3cret", 'login')),
    });
    expect(web.deliveries[0]?.server).toMatchObject({ tls: 'implicit', login: { user: 'ada', password: 's3cret' } });
    expect(error).toEqual({
      code: 'service.mail.auth',
      msg: "the mail was not sent: 'mail.test' refused AUTH: 535 no ***",
    });
  });

  test('is sent by the server of the namespace if the function has none', async () => {
    const mail = { host: 'relay.test', port: 2525, tls: 'starttls', from: 'Ops <ops@example.com>' } as const;
    const { web } = await run(workflowOf('to: b@test'), { mail });
    expect(web.deliveries[0]).toMatchObject({
      server: { host: 'relay.test', port: 2525, tls: 'required' },
      mails: [{ from: '"Ops" <ops@example.com>', to: ['b@test'] }],
    });
    const own = await run(workflowOf(`${SERVER}, to: b@test`), { mail });
    expect(own.web.deliveries[0]).toMatchObject({ server: { host: 'mail.test' } });
  });

  test('needs a server of the function or of the namespace', async () => {
    const { web, error } = await run(workflowOf('from: a@test, to: b@test'));
    expect([error, web.deliveries]).toEqual([
      {
        code: 'service.mail.request',
        msg: expect.stringMatching(/no mail server for the function 'f': write 'server' in .* or set 'mail' in/),
      },
      [],
    ]);
  });

  test.each([
    [{ to: 'ada@example.com\r\nBcc: eve@example.com' }, "'to' has a line break"],
    [{ to: ['a@test', 'bob'] }, "'to[1]' has no '@'"],
    [{ to: 'a@test, b@test' }, "'to' is not one address"],
    [{ to: 'a@test', from: 'Ada\n<a@test>' }, "'from' has a line break"],
    [{ to: 'a@test', replyTo: 5 }, "'replyTo' is no text"],
    [{ to: 'a@test', subject: 'Hi\r\nBcc: eve@example.com' }, "'subject' has a line break"],
    [{ to: 'a@test', text: { a: 1 } }, "'text' is no text"],
    [{ to: [] }, 'it has no recipient'],
    [{ to: 'a@test', title: 'x' }, 'unknown field; it may have from,'],
    [{ to: 'a@test', attachments: [{ name: 'none' }] }, "'attachments[0]': the variable does not exist"],
    [{ to: 'a@test', attachments: [{ name: 'report', as: 'a\r\nb' }] }, 'texts of one line'],
    [{ to: 'a@test', attachments: [{ name: 'report' }, { name: 'report' }] }, "'attachments[1]' has the name of"],
    [{ to: 'a@test', timeout: 'soon' }, "'timeout' is no duration"],
  ])('is refused before it is sent for the input %j', async (input, text) => {
    const { web, error } = await run(workflowOf(SERVER, ', input: jq(.)'), { input });
    expect(error).toEqual({ code: 'service.mail.request', msg: expect.stringContaining(text) });
    expect(web.deliveries).toEqual([]);
  });

  test('is refused for attachments that are too large together, before all of them are read', async () => {
    const attachments = Array.from({ length: 100 }, (_, n) => ({ name: 'report', as: `a${n}` }));
    const source = workflowOf(SERVER, ', input: jq(.)').replace('value: cmVwb3J0', 'value: \'jq("x" * 2000000)\'');
    const { web, error } = await run(source, { input: { to: 'a@test', attachments } });
    expect(error).toEqual({
      code: 'service.mail.request',
      msg: expect.stringContaining('the files of the call have more than 26214400 bytes in all'),
    });
    expect(web.deliveries).toEqual([]);
  });

  test.each([
    [new UnreachableError('blocked', 'blocked'), 'mail.blocked'],
    [new UnreachableError('refused', 'refused'), 'mail.connection'],
    [new UnreachableError('late', 'timeout'), 'mail.timeout'],
    [new MailRefusedError('no', 'rejected'), 'mail.rejected'],
    [new MailRefusedError('later', 'deferred'), 'mail.deferred'],
    [new MailRefusedError('some', 'partial'), 'mail.partial'],
    [new MailRefusedError('too large', 'invalid'), 'mail.request'],
  ])('fails by a code for its cause: %s', async (problem, code) => {
    const { error, web } = await run(workflowOf(`${SERVER}, to: b@test`), { accept: () => Promise.reject(problem) });
    expect(error).toMatchObject({ code: `service.${code}` });
    expect(web.deliveries).toHaveLength(1);
  });
});

describe('a mail that the server defers', () => {
  const RETRIES = "retries: {max_attempts: 3, delay: PT2S, codes: ['mail\\.deferred']}";
  const source = workflowOf(`${SERVER}, to: b@test`, `, ${RETRIES}`);

  test('is sent again with the same id, once for each attempt', async () => {
    const replies = [new MailRefusedError('451 later', 'deferred'), new MailRefusedError('451 later', 'deferred')];
    const { web, result, world } = await run(source, {
      accept: async () => {
        const reply = replies.shift();
        if (reply !== undefined) throw reply;
      },
    });
    const ids = web.deliveries.map(({ mails: [mail] }) => mail?.id);
    expect(ids).toEqual([ids[0], ids[0], ids[0]]);
    expect(result).toEqual({ messageId: ids[0] });
    // Another run sends another mail.
    await world.execute('main', '{}');
    await world.pass();
    expect(web.deliveries).toHaveLength(4);
    expect(web.deliveries[3]?.mails[0]?.id).not.toBe(ids[0]);
  });

  test('is not sent again if it is rejected', async () => {
    const { web, error } = await run(source, { accept: () => Promise.reject(new MailRefusedError('550 no')) });
    expect([web.deliveries.length, error]).toEqual([1, expect.objectContaining({ code: 'service.mail.rejected' })]);
  });
});

test('a loop sends a mail for each element, with an id of its own', async () => {
  const { web } = await run(`functions: [{id: f, type: mail, ${SERVER}, to: jq(.to)}]
states:
- {id: each, type: foreach, array: 'jq([{to: "a@test"}, {to: "b@test"}])', action: {function: f}}
`);
  expect(web.deliveries.flatMap(({ mails }) => mails.flatMap(({ to }) => to)).sort()).toEqual(['a@test', 'b@test']);
  expect(new Set(web.deliveries.map(({ mails: [mail] }) => mail?.id)).size).toBe(2);
});

test('an approval mails its links, and a call that nothing waits for sends its mail', async () => {
  const { web } = await run(`functions: [{id: f, type: mail, ${SERVER}, to: boss@test}]
states:
- {id: note, type: action, async: true, action: {function: f, input: {subject: Noted}}, transition: ask}
- id: ask
  type: approval
  subject: Refund
  choices: {agree: done, refuse: done}
  notify: {function: f, input: {subject: Refund, text: jq(.links.agree)}}
- {id: done, type: noop}
`);
  const mails = web.deliveries.flatMap((delivery) => delivery.mails);
  expect(mails.map(({ subject }) => subject).sort()).toEqual(['Noted', 'Refund']);
  expect(mails.find(({ subject }) => subject === 'Refund')?.text).toMatch(/^https?:\/\/\S+$|^\/\S+$/);
  expect(new Set(mails.map(({ id }) => id)).size).toBe(2);
});
