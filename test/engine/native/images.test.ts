import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type LocalTable, openLocalTable } from '../../../lib/adapters/local/table/table.ts';
import { NATIVE_IMAGES, nativeImageOf } from '../../../lib/compiler/plan/native-images.ts';
import * as secrets from '../../../lib/domain/credentials/secrets.ts';
import { configure } from '../../../lib/domain/namespaces/config.ts';
import * as namespaces from '../../../lib/domain/namespaces/namespaces.ts';
import { ExactNumber } from '../../../lib/language/json-numbers.ts';
import { MOST_NODES } from '../../../lib/language/json-size.ts';
import { UnreachableError, type WebResponse } from '../../../lib/ports/callees/web.ts';
import { json, ProgrammedWeb, type Reply } from '../../contract/programmed-web.ts';
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
  readonly reply?: Reply;
  readonly fields?: string;
  readonly action?: string;
  readonly secret?: string;
  readonly native?: boolean;
}

/** Runs a workflow that calls an image. */
async function call(image: string, { input = {}, reply, fields = '', action = '', secret, native = true }: Given = {}) {
  const web = new ProgrammedWeb(reply);
  const world = new World(database, { web });
  worlds.push(world);
  const source = `functions: [{id: f, type: knative-workflow, image: '${image}'${fields}}]
states:
- id: go
  type: action
  action: {function: f${action}}
  catch: [{error: '*'}]
`;
  await world.store({ main: source });
  const namespace = await namespaces.need(world.reliable, world.namespace);
  if (secret !== undefined) await secrets.set(world.reliable, namespace, 'KEY', Buffer.from(secret));
  if (!native) await configure(world.reliable, world.namespace, { functions: { native: false } });
  const { id } = await world.execute('main', JSON.stringify(input));
  await world.pass();
  expect(unfinishedOf(world)).toEqual([]);
  const main = (await runsOf(world)).find((one) => one.id === id);
  return { main, web, result: main?.data['return'], error: main?.data['error'] };
}

const text = (body: string, status = 200): WebResponse => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body: Buffer.from(body),
});

describe('an image is native', () => {
  test.each([
    ['direktiv/http-request', 'http-request'],
    ['direktiv/http-request:dev', 'http-request'],
    ['gcr.io/direktiv/functions/http-request:1.0', 'http-request'],
    ['gcr.io/direktiv/apps/http-request', 'http-request'],
    ['docker.io/direktiv/request:v4', 'request'],
    ['registry.example:5000/mirror/direktiv/request:latest', 'request'],
    ['vorteil/request:v6', 'request'],
    ['direktiv.azurecr.io/functions/echo:1.0', 'echo'],
    ['gcr.io/direktiv/functions/sendmail:1.0', 'sendmail'],
    ['direktiv/smtp:v1', 'smtp'],
    ['vorteil/smtp:v3', 'smtp'],
    ['gcr.io/direktiv/functions/smtp', 'smtp'],
    ['direktiv/smtp-bare:v1', 'smtp-bare'],
    ['gcr.io/direktiv/functions/hello-world:1.0', 'hello-world'],
    ['direktiv.azurecr.io/functions/hello-world:1.3', 'hello-world'],
    ['vorteil/googlemsg:latest', 'googlemsg'],
    ['direktiv/googlechat', 'googlechat'],
    ['direktiv/twilio:latest', 'twilio'],
    ['hello-world', undefined],
    ['direktiv/smtp-receiver:1.0', undefined],
    ['vorteil/request:v5', undefined],
    ['direktiv/request@sha256:abc', undefined],
    ['ada/request', undefined],
    ['direktiv/bash:dev', undefined],
    ['request', undefined],
  ])('%s: %s', (image, name) => {
    expect(nativeImageOf(image)).toBe(name);
  });

  test('no longer with another program, with files, or when the namespace excludes it', async () => {
    for (const given of [{ fields: ', cmd: /usr/bin/other' }, { action: ', files: [{key: x}]' }, { native: false }]) {
      const { web } = await call('direktiv/request:v4', { input: { url: 'https://api.test' }, ...given });
      expect(web.requests).toEqual([]);
    }
  });
});

describe('an input without a required field', () => {
  const SMTP = { server: 'mail.test', user: 'u', password: 'p' };
  const MAIL = { from: 'a@b.test', to: ['c@d.test'], message: 'hi' };

  test.each<[image: string, input: object, code: string, message: RegExp]>([
    ['http-request', {}, 'container failed', /'url'/],
    ['request', { method: 'GET' }, 'container failed', /'url'/],
    ['mustache', {}, 'container failed', /'template'/],
    ['slack', {}, 'container failed', /'webhook-url'/],
    ['sendmail', {}, 'container failed', /'smtp'/],
    ['sendmail', { smtp: { ...SMTP, user: undefined } }, 'container failed', /'user'/],
    ['sendmail', { smtp: SMTP, emails: [{ ...MAIL, to: [] }] }, 'container failed', /'to'/],
    ['smtp', { to: 'c@d.test' }, 'container failed', /'from'/],
    ['smtp', { from: 'a@b.test', to: 'c@d.test', port: 25 }, 'container failed', /'server'/],
    ['smtp', { from: 'a@b.test', to: 'c@d.test', server: 'mail.test' }, 'container failed', /port/],
    ['smtp-bare', { to: ['c@d.test'] }, 'com.smtp-bare.connect.error', /host and port/],
    ['smtp-bare', { to: ['c@d.test'], host: 'mail.test', port: 25 }, 'container failed', /'from'/],
    ['googlemsg', {}, 'container failed', /'url'/],
    ['twilio', {}, 'com.twilio.error', /type/],
    ['twilio', { typeof: 'sms', token: 't' }, 'container failed', /'sid'/],
    ['twilio', { typeof: 'email', from: 'a', to: 'b' }, 'container failed', /'token'/],
  ])('fails a call of %s with %j: %s', async (image, input, code, message) => {
    const { error, web } = await call(`direktiv/${image}`, { input });
    expect(error).toEqual({ code, msg: expect.stringMatching(message) });
    expect(web.requests).toEqual([]);
  });

  test('is documented for every image', () => {
    const page = readFileSync('docs/native-images.md', 'utf8');
    const [, table = ''] = page.split('## What an input must have');
    const listed = [...(table.split('\n## ')[0]?.matchAll(/^\| `([a-z-]+)` \|/gm) ?? [])].map(([, name]) => name);
    expect([...listed, 'googlechat'].toSorted()).toEqual(NATIVE_IMAGES.toSorted());
  });
});

describe('http-request', () => {
  const IMAGE = 'gcr.io/direktiv/functions/http-request:1.0';

  test('returns a list with the response', async () => {
    const { result, web } = await call(IMAGE, {
      input: {
        url: 'https://api.test/a?b=1',
        method: 'post',
        params: { q: 'x y', n: 2, long: new ExactNumber('9007199254740993') },
        headers: { 'X-A': 'b', Host: 'c' },
        username: 'ada',
        password: 'p',
        content: { kind: 'base64', value: '/w==' },
      },
      reply: () => json({ ok: true }, 201),
    });
    expect(result).toEqual([
      {
        code: 201,
        status: '201 Created',
        success: true,
        headers: { 'Content-Type': ['application/json'] },
        result: { ok: true },
      },
    ]);
    const [sent] = web.requests;
    expect([sent?.method, sent?.url.href, sent?.headers['x-a']]).toEqual([
      'POST',
      'https://api.test/a?b=1&long=9007199254740993&n=2&q=x+y',
      'b',
    ]);
    expect(sent?.credentials).toEqual({ authorization: `Basic ${btoa('ada:p')}` });
    expect(sent?.body).toEqual(Buffer.from([255]));
    expect(sent?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each([
    [{ kind: 'string', value: 'a' }, 'a'],
    [{ value: 'a' }, 'a'],
    [{ value: { a: 1 } }, '{"a":1}'],
    [{ kind: 'json', value: 'a' }, '"a"'],
    [{ hello: 'world' }, '{"hello":"world"}'],
  ])('sends the content %j', async (content, body) => {
    const { web } = await call(IMAGE, { input: { url: 'https://api.test', content } });
    expect(web.requests[0]?.body?.toString()).toBe(body);
  });

  test('returns anything but JSON as base64; a status is no error without error200', async () => {
    const { result } = await call(IMAGE, { input: { url: 'https://api.test' }, reply: () => text('no', 404) });
    expect(result).toMatchObject([{ code: 404, result: btoa('no'), success: true }]);
  });

  test.each([
    [
      { url: 'https://api.test', error200: true },
      'io.direktiv.command.error',
      'not between 200-299: 404 (404 Not Found)',
    ],
    [{}, 'container failed', "'url' in the input is required"],
    [{ url: 'ftp://a' }, 'io.direktiv.command.error', "'url' is no URL"],
    [
      { url: 'https://api.test', content: { kind: 'file', value: 'a' } },
      'io.direktiv.command.error',
      "'files' of the action",
    ],
  ])('fails for %j', async (input, code, message) => {
    const { error } = await call(IMAGE, { input, reply: () => text('no', 404) });
    expect(error).toEqual({ code, msg: expect.stringContaining(message) });
  });

  test('fails with the code of a command when there is no response, without the value of a secret', async () => {
    const { error, main } = await call(IMAGE, {
      action: ", secrets: [KEY], input: {url: 'https://jq(.secrets.KEY).test'}",
      secret: 's3cret',
      reply: ({ url }) => Promise.reject(new UnreachableError(`'${url.host}' is not known`, 'dns')),
    });
    expect(error).toEqual({ code: 'io.direktiv.command.error', msg: "'***.test' is not known" });
    expect(JSON.stringify(main)).not.toContain('s3cret');
  });
});

describe('request', () => {
  const input = { url: 'https://api.test', method: 'GET' };

  test.each([
    [json({ a: 1 }), { body: { a: 1 } }],
    [json([1]), { data: btoa('[1]') }],
    [text('hi'), { data: btoa('hi') }],
    [json({}), {}],
  ] as const)('returns status, headers and body', async (reply, expected) => {
    const { result } = await call('direktiv/request:v4', { input, reply: () => reply });
    const headers = { 'Content-Type': [reply.headers['content-type']] };
    expect(result).toEqual({ ...expected, headers, 'status-code': 200, status: '200 OK' });
  });

  test('sends a body as JSON, a text as it is, and fails with its own code', async () => {
    const { web } = await call('vorteil/request:v6', { input: { ...input, method: 'POST', body: { a: [1] } } });
    expect(web.requests[0]?.body?.toString()).toBe('{"a":[1]}');
    const reply: Reply = () => Promise.reject(new UnreachableError('refused', 'refused'));
    const { error } = await call('direktiv/request', { input, reply });
    expect(error).toEqual({ code: 'com.send-request.error', msg: 'refused' });
  });
});

describe('the other images', () => {
  test('mustache renders a template', async () => {
    const files = [{ name: 't', data: '<h1>{{h}}</h1>{{#l}}{{.}},{{/l}}' }];
    const { result } = await call('direktiv/mustache', {
      input: { template: 't', files, data: { h: '<', l: [1, 2] } },
    });
    expect(result).toEqual({ mustache: { result: '<h1>&lt;</h1>1,2,', success: true } });
  });

  test.each([
    [{ template: 't' }, "no file 't'"],
    [{ template: 't', files: [{ name: 't', data: '{{#a}}' }] }, 'Unclosed section'],
    [
      {
        template: 't',
        files: [{ name: 't', data: '{{#l}}{{#l}}{{#l}}x{{/l}}{{/l}}{{/l}}' }],
        data: { l: Array.from({ length: 1000 }, () => 1) },
      },
      'renders more than',
    ],
  ])('mustache fails for %j', async (input, message) => {
    const { error } = await call('direktiv/mustache', { input });
    expect(error).toEqual({ code: 'io.direktiv.command.error', msg: expect.stringContaining(message) });
  });

  test('echo and debug return their input', async () => {
    expect((await call('direktiv/echo', { action: ', input: [1]' })).result).toEqual([1]);
    expect((await call('direktiv/debug', { input: { a: 1 } })).result).toEqual({ a: 1 });
  });

  test.each([
    [{ name: 'Ada  Lovelace ' }, 'Hello Ada Lovelace'],
    [{}, 'Hello World'],
  ])('hello-world greets %j', async (input, greeting) => {
    const { result } = await call('gcr.io/direktiv/functions/hello-world:1.0', { input });
    expect(result).toEqual({ 'hello-world': greeting });
  });

  test('hello-world refuses a name that is no text', async () => {
    const { error } = await call('direktiv/hello-world:dev', { input: { name: 5 } });
    expect(error).toEqual({ code: 'container failed', msg: "'name' in the input must be a text" });
  });

  test('googlemsg posts the message to the webhook, and returns the response', async () => {
    const input = { message: 'hi', url: 'https://chat.test/v1/spaces/A/messages?key=K' };
    const { result, web } = await call('vorteil/googlemsg:latest', { input, reply: () => json({ name: 'm' }) });
    expect(result).toEqual({ name: 'm' });
    const [sent] = web.requests;
    expect([sent?.method, sent?.url.href, sent?.body?.toString()]).toEqual(['POST', input.url, '{"text":"hi"}']);
  });

  test.each([
    [
      { message: 'hi', url: 'https://chat.test' },
      'Response Message: 404 Not Found, Response Code: 404 \nResponseBody: no',
    ],
    [{ text: 'hi', url: 'https://chat.test' }, "'text' in the input is unknown; the image has message, url"],
  ])('googlemsg fails for %j', async (input, msg) => {
    const { error } = await call('direktiv/googlechat', { input, reply: () => text('no', 404) });
    expect(error).toEqual({ code: 'com.googlechat.error', msg });
  });

  test('twilio sends a text message, and hides the token', async () => {
    const { result, web, main } = await call('direktiv/twilio:latest', {
      action:
        ", secrets: [KEY], input: {typeof: sms, sid: AC1, token: jq(.secrets.KEY), message: 'a & b', from: '+1', to: '+2'}",
      secret: 's3cret',
      reply: () => json({ sid: 'SM1', status: 'queued' }, 201),
    });
    expect(result).toEqual({ sid: 'SM1', status: 'queued' });
    const [sent] = web.requests;
    expect(sent?.url.href).toBe('https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json');
    expect(sent?.credentials).toEqual({ authorization: `Basic ${btoa('AC1:s3cret')}` });
    expect(sent?.body?.toString()).toBe('Body=a+%26+b&From=%2B1&To=%2B2');
    expect(JSON.stringify(main)).not.toContain('s3cret');
  });

  test('twilio sends a mail by SendGrid, whose response is empty', async () => {
    const input = {
      typeof: 'email',
      token: 'T',
      subject: 's',
      message: 'hi',
      htmlMessage: '<b>hi</b>',
      from: 'a@b.c',
      to: 'd@e.f',
    };
    const { result, web } = await call('vorteil/twilio', { input, reply: () => text('', 202) });
    expect(result).toBe('');
    const [sent] = web.requests;
    expect(sent?.url.href).toBe('https://api.sendgrid.com/v3/mail/send');
    expect(sent?.credentials).toEqual({ authorization: 'Bearer T' });
    expect(JSON.parse(sent?.body?.toString() ?? '')).toEqual({
      from: { email: 'a@b.c' },
      subject: 's',
      personalizations: [{ to: [{ email: 'd@e.f' }] }],
      content: [
        { type: 'text/plain', value: 'hi' },
        { type: 'text/html', value: '<b>hi</b>' },
      ],
    });
  });

  test('twilio hides a token in the body of a refusal, also where the body is cut', async () => {
    const { error } = await call('direktiv/twilio', {
      action: ', secrets: [KEY], input: {typeof: sms, sid: A, token: jq(.secrets.KEY), from: a, to: b}',
      secret: 's3cret-token',
      reply: () => text(`${'x'.repeat(495)}s3cret-token`, 401),
    });
    expect(error).toMatchObject({ code: 'com.twilio.error' });
    expect(JSON.stringify(error)).not.toContain('s3c');
  });

  test.each([
    [{ typeof: 'fax' }, "'fax' is not a valid type to use the twilio application"],
    [{ typeof: 'sms', SID: 'AC1' }, "'SID' in the input is unknown; the image has debug, typeof, sid"],
  ])('twilio fails for %j', async (input, message) => {
    const { error } = await call('direktiv/twilio', { input });
    expect(error).toEqual({ code: 'com.twilio.error', msg: expect.stringContaining(message) });
  });

  const large = { status: 200, headers: {}, body: Buffer.from(`[${'[],'.repeat(600_000)}[]]`) };
  const deep = { ...large, body: Buffer.from(`${'['.repeat(2000)}${']'.repeat(2000)}`) };

  test.each([
    ['direktiv/request', 'com.send-request.error', large, `of more than ${MOST_NODES}`],
    ['direktiv/functions/http-request', 'io.direktiv.command.error', large, `of more than ${MOST_NODES}`],
    ['direktiv/googlechat', 'com.googlechat.error', large, `of more than ${MOST_NODES}`],
    ['direktiv/request', 'com.send-request.error', deep, 'nested deeper than 1000 levels'],
  ])('%s fails with %s for JSON that exceeds the bounds of results', async (image, code, reply, excess) => {
    const { error } = await call(image, { input: { url: 'https://api.test' }, reply: () => reply });
    expect(error).toEqual({ code, msg: `the JSON of the response is ${excess}` });
  });

  test.each([
    ['direktiv/echo', true],
    ['direktiv/request', false],
  ])('%s: the call is made within the request that starts the run: %s', async (image, isHere) => {
    const world = new World(database, { web: new ProgrammedWeb() });
    worlds.push(world);
    const states =
      'states:\n- {id: before, type: noop, transition: go}\n- {id: go, type: action, action: {function: f}}\n';
    await world.store({ main: `functions: [{id: f, type: knative-workflow, image: '${image}'}]\n${states}` });
    const { id } = await world.execute('main', '{"url":"https://api.test"}');
    const main = (await runsOf(world)).find((one) => one.id === id);
    expect([main?.status, world.started.size]).toEqual(isHere ? ['complete', 0] : ['pending', 1]);
    await world.pass();
  });

  test('slack posts the content to the webhook', async () => {
    const input = { 'webhook-url': 'https://hooks.test/x', content: { text: 'hi' } };
    const { result, web } = await call('gcr.io/direktiv/functions/slack:1.0', { input, reply: () => text('ok') });
    expect(result).toEqual({ slack: { result: 'ok', success: true } });
    expect([web.requests[0]?.method, web.requests[0]?.body?.toString()]).toEqual(['POST', '{"text":"hi"}']);
  });
});
