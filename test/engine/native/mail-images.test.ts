import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type LocalTable, openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import * as secrets from '../../../lib/domain/credentials/secrets.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { MailRefusedError, UnreachableError } from '../../../lib/ports/callees/web.ts';
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
  readonly input?: unknown;
  readonly action?: string;
  /** Thrown by every delivery. */
  readonly error?: Error;
  readonly secret?: string;
}

/** Runs a workflow that writes the variable `report` and calls an image. */
async function call(image: string, { input = {}, action = '', error, secret }: Given = {}) {
  const web = new ProgrammedWeb();
  if (error !== undefined) web.accept = () => Promise.reject(error);
  const world = new World(database, { web });
  worlds.push(world);
  await world.store({
    main: `functions: [{id: f, type: knative-workflow, image: '${image}'}]
states:
- {id: keep, type: setter, variables: [{key: report, scope: instance, value: cmVwb3J0, mimeType: text/plain}], transition: go}
- id: go
  type: action
  action: {function: f${action}}
  catch: [{error: '*'}]
`,
  });
  const namespace = await namespaces.need(world.reliable, world.namespace);
  if (secret !== undefined) await secrets.set(world.reliable, namespace, 'KEY', Buffer.from(secret));
  const { id } = await world.execute('main', JSON.stringify(input));
  await world.pass();
  expect(unfinishedOf(world)).toEqual([]);
  const main = (await runsOf(world)).find((one) => one.id === id);
  return { deliveries: web.deliveries, result: main?.data['return'], error: main?.data['error'] };
}

const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();

describe('sendmail', () => {
  const IMAGE = 'gcr.io/direktiv/functions/sendmail:1.0';
  const SMTP = { server: 'mail.test:587', user: 'ada', password: 'p' };
  const EMAIL = { from: 'Ada<ada@test>', to: ['bob@test'], message: { name: 'message', data: 'Hello' } };

  test('sends every mail, with its copies and its attachments', async () => {
    const more = { cc: ['cy@test'], bcc: ['di@test'], subject: 'Hi', attachments: ['message'] };
    const input = {
      smtp: SMTP,
      emails: [
        { ...EMAIL, ...more },
        { ...EMAIL, contentType: 'text/html' },
      ],
    };
    const { result, deliveries } = await call(IMAGE, { input });
    expect(result).toEqual({ sendmail: [0, 1].map(() => ({ result: '', success: true })) });
    const [delivery] = deliveries;
    expect(delivery?.server).toEqual({
      host: 'mail.test',
      port: 587,
      tls: 'offered',
      login: { user: 'ada', password: 'p' },
      isInsecure: false,
    });
    expect(delivery?.mails).toMatchObject([
      { to: ['bob@test'], cc: ['cy@test'], bcc: ['di@test'], subject: 'Hi', text: 'Hello' },
      { to: ['bob@test'], cc: [], bcc: [], subject: '', html: 'Hello', attachments: [] },
    ]);
    expect(text(delivery?.mails[0]?.attachments[0]?.bytes)).toBe('Hello');
    const ids = delivery?.mails.map(({ id }) => id) ?? [];
    expect(new Set(ids).size).toBe(2);
    expect(ids[0]).toMatch(/^<[0-9a-f-]{36}\.0@weft>$/);
    expect(delivery?.ms).toBe(120_000);
  });

  test('attaches files of the action, and reads the text of one', async () => {
    const action =
      ', files: [{key: report, scope: instance, as: message}, {key: report, scope: instance, as: b.txt, type: base64}]';
    const { message: _none, ...email } = EMAIL;
    const input = { smtp: SMTP, emails: [{ ...email, attachments: ['b.txt'] }] };
    const { deliveries } = await call(IMAGE, { input, action });
    const [mail] = deliveries[0]?.mails ?? [];
    expect([mail?.text, text(mail?.attachments[0]?.bytes)]).toEqual(['cmVwb3J0', 'report']);
  });

  test.each([
    [{ emails: [EMAIL] }, 'container failed', "'smtp' in the input is required"],
    [{ smtp: { ...SMTP, server: 'a:b:c' }, emails: [EMAIL] }, 'container failed', 'must be host:port'],
    [{ smtp: { ...SMTP, server: 'a:99999' }, emails: [EMAIL] }, 'container failed', 'must be 1 to 65535'],
    [{ smtp: SMTP, emails: 'x' }, 'container failed', "'emails' in the input must be a list"],
    [{ smtp: SMTP, emails: [{ ...EMAIL, to: [] }] }, 'container failed', "'to' of a mail in the input is required"],
    [{ smtp: SMTP, emails: [{ from: 'a@test', to: ['b@test'] }] }, 'io.direktiv.command.error', "no file 'message'"],
    [{ smtp: SMTP, emails: [{ ...EMAIL, attachments: ['x'] }] }, 'io.direktiv.command.error', "no file 'x'"],
  ])('sends nothing for the input %j', async (input, code, message) => {
    const { error, deliveries } = await call(IMAGE, { input });
    expect(error).toMatchObject({ code, msg: expect.stringContaining(message) });
    expect(deliveries).toEqual([]);
  });

  test.each([
    [new MailRefusedError("'mail.test' refused AUTH PLAIN: 535 no s3cret"), /refused AUTH PLAIN: 535 no \*\*\*$/],
    [new UnreachableError("'mail.test' did not answer in time", 'timeout'), /did not answer in time/],
  ])('fails by the code of the image for %s, without secrets', async (error, message) => {
    const input =
      'input: {smtp: {server: "mail.test:587", user: ada, password: jq(.secrets.KEY)}, emails: [{from: a@test, to: [b@test], message: hi}]}';
    const sent = await call(IMAGE, { action: `, secrets: [KEY], ${input}`, secret: 's3cret', error });
    expect(sent.deliveries[0]?.server.login?.password).toBe('s3cret');
    expect(sent.error).toMatchObject({ code: 'io.direktiv.command.error', msg: expect.stringMatching(message) });
  });
});

test('mustache renders a template of the files of the action', async () => {
  const action = ', files: [{key: report, scope: instance, as: mail.tpl}]';
  const { result } = await call('gcr.io/direktiv/functions/mustache:1.0', { input: { template: 'mail.tpl' }, action });
  expect(result).toEqual({ mustache: { result: 'cmVwb3J0', success: true } });
});

describe('smtp', () => {
  const MAIL = {
    from: 'ada@test',
    to: 'bob@test',
    subject: 'Hi',
    message: '<b>Hello</b>',
    server: 'mail.test',
    port: 465,
  };

  test('sends HTML with the login of the sender', async () => {
    const { result, deliveries } = await call('vorteil/smtp:v3', { input: { ...MAIL, password: 'p' } });
    expect(result).toBe('');
    expect(deliveries).toMatchObject([
      {
        server: { host: 'mail.test', port: 465, tls: 'implicit', login: { user: 'ada@test', password: 'p' } },
        mails: [{ from: 'ada@test', to: ['bob@test'], subject: 'Hi', html: '<b>Hello</b>' }],
      },
    ]);
  });

  test('fills a template, escapes what it fills in, and shows images', async () => {
    const template = Buffer.from('<p>{{ .who.name }}{{.none}}</p><img src="cid:report">').toString('base64');
    const input = {
      ...MAIL,
      to: ['bob@test', 'cy@test'],
      message: template,
      template: true,
      args: { who: { name: '<i>' } },
      images: ['report'],
    };
    const { deliveries } = await call('direktiv/smtp:v1', {
      input,
      action: ', files: [{key: report, scope: instance}]',
    });
    expect(deliveries[0]?.server.login).toBeUndefined();
    expect(deliveries[0]?.mails[0]).toMatchObject({
      to: ['bob@test', 'cy@test'],
      html: '<p>&lt;i&gt;</p><img src="cid:report">',
      attachments: [{ name: 'report', contentId: 'report' }],
    });
  });

  test('renders at most so many characters', async () => {
    const input = { ...MAIL, message: '{{.a}}'.repeat(100), args: { a: '&'.repeat(1_000_000) } };
    const { error, deliveries } = await call('direktiv/smtp', { input });
    expect(error).toEqual({ code: 'com.smtp.error', msg: 'the template renders more than 4194304 characters' });
    expect(deliveries).toEqual([]);
  });

  test.each([
    ['braces that nothing closes', { message: '{{'.repeat(200_000), args: {} }],
    ['an action of spaces that nothing closes', { message: `{{${' '.repeat(50_000)}`, args: {} }],
    ['base64 with many line breaks', { message: `A${'\n'.repeat(500_000)}!`, template: true }],
  ])('reads %s in one pass', async (_name, given) => {
    const { deliveries } = await call('direktiv/smtp', { input: { ...MAIL, ...given } });
    expect(deliveries[0]?.mails[0]?.html).toBe(given.message);
  });

  test.each([
    [{ ...MAIL, port: 0 }, 'container failed', /must be 1 to 65535/],
    [{ ...MAIL, to: '' }, 'container failed', /'to' in the input is required/],
    [{ ...MAIL, args: {}, message: '{{ range .x }}' }, 'com.smtp.error', /only fields such as/],
    [{ ...MAIL, images: ['x'] }, 'com.smtp.error', /no file 'x'/],
  ])('sends nothing for the input %j', async (input, code, message) => {
    const { error, deliveries } = await call('direktiv/smtp', { input });
    expect(error).toMatchObject({ code, msg: expect.stringMatching(message) });
    expect(deliveries).toEqual([]);
  });
});

describe('smtp-bare', () => {
  const MAIL = { from: 'ada@test', to: ['bob@test'], subject: 'Hi', body: '<b>x</b>', host: 'mail.test', port: 587 };

  test('sends HTML with attachments, over TLS if it says so', async () => {
    const attachments = [
      { name: 'a.zip', data: '/w==', type: 'base64' },
      { name: 'b.txt', data: 'b' },
    ];
    const input = { ...MAIL, tls: true, user: 'ada', password: 'p', attachments };
    const { result, deliveries } = await call('direktiv/smtp-bare:v1', { input });
    expect(result).toEqual({});
    expect(deliveries[0]?.server).toMatchObject({ tls: 'required', login: { user: 'ada', password: 'p' } });
    const files = deliveries[0]?.mails[0]?.attachments.map(({ name, bytes }) => [name, [...bytes]]);
    expect(files).toEqual([
      ['a.zip', [255]],
      ['b.txt', [98]],
    ]);
  });

  test('sends a mail to each recipient by itself; one that is refused does not stop the others', async () => {
    const input = { ...MAIL, to: ['bob@test', 'cy@test'], individual: true };
    const { result, deliveries } = await call('direktiv/smtp-bare', { input, error: new MailRefusedError('no') });
    expect(result).toEqual({});
    expect(deliveries.map(({ mails }) => mails.map(({ to }) => to))).toEqual([[['bob@test']], [['cy@test']]]);
    expect(new Set(deliveries.map(({ mails }) => mails[0]?.id)).size).toBe(2);
  });

  test('sends nothing without recipients', async () => {
    const { result, deliveries } = await call('direktiv/smtp-bare', { input: { ...MAIL, to: [] } });
    expect([result, deliveries]).toEqual([{}, []]);
  });

  test.each([
    [{ host: '' }, undefined, 'com.smtp-bare.connect.error'],
    [{}, new UnreachableError('refused', 'refused'), 'com.smtp-bare.connect.error'],
    [{}, new MailRefusedError('no'), 'com.smtp-bare.send.error'],
  ])('fails by a code for its cause: %j %s', async (change, error, code) => {
    const sent = await call('direktiv/smtp-bare', { input: { ...MAIL, ...change }, ...(error && { error }) });
    expect(sent.error).toMatchObject({ code });
  });
});
