import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, openOwnClient, rowsOf } from '../access/client.ts';
import { EventSpace, until } from '../events/space.ts';

/** Numbers that a double would change, deep and beside one that it would not. In the order of their keys. */
const DATA =
  '{"id":9007199254740993,"list":[-9223372036854775808,{"deep":18446744073709551615}],"rate":0.1000000000000000055,"small":7}';

const NAMESPACE = '/api/namespaces/numbers';
const QUEUE = `${NAMESPACE}/workers/q`;
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** The server answers DATA to each request, and keeps the bodies that it was sent. */
const sent: string[] = [];
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  sent.push(Buffer.concat(chunks).toString());
  response.writeHead(200, JSON_TYPE).end(DATA);
});

let client: Client;
let space: EventSpace;

/** Every way out of a run; its data under `x` leaves by each. */
const WAYS_OUT = (url: string): string => `functions:
- {id: web, type: http, url: '${url}', method: POST}
- {id: child, type: subflow, workflow: child}
- {id: worker, type: worker, queue: q}
states:
- {id: in, type: noop, transition: post}
- {id: post, type: action, action: {function: web, input: {body: jq(.x)}}, transition: keep}
- {id: keep, type: setter, variables: [{key: kept, scope: namespace, value: jq(.x)}], transition: event}
- {id: event, type: generateEvent, event: {type: left, source: tests, data: jq(.x)}, transition: call}
- {id: call, type: action, action: {function: child, input: jq(.x)}, transform: {x: jq(.x), child: jq(.return)}, transition: work}
- {id: work, type: action, action: {function: worker, input: jq(.x)}, transform: {x: jq(.x), child: jq(.child), work: jq(.return)}}
`;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  client = await openOwnClient();
  space = await EventSpace.open(client, 'numbers');
  await space.store('child', 'states: [{id: a, type: noop}]\n');
});

afterAll(async () => {
  await client.close();
  server.close();
});

const urlOf = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

/** Serves one task of the queue: its output is its input, as text. */
async function serveTask(): Promise<void> {
  const polled = await until(async () => {
    const { text } = await client.call('POST', `${QUEUE}?op=poll`, { json: { max: 1, wait: 'PT1S' } });
    return text.includes('"lease"') ? text : undefined;
  });
  const [, task = ''] = /"task":"([^"]+)"/.exec(polled) ?? [];
  const [, lease = ''] = /"lease":"([^"]+)"/.exec(polled) ?? [];
  const [, input = ''] = /"input":(\{.*\}\]?,"rate":[^}]*\})/.exec(polled) ?? [];
  expect(input).toBe(DATA);
  const body = `{"task":"${task}","lease":"${lease}","output":${input}}`;
  const ended = await client.call('POST', `${QUEUE}?op=complete`, { body });
  expect(ended.status, ended.text).toBe(200);
}

/** The output of a run as text without blanks. */
async function outputOf(instance: string): Promise<string> {
  await space.ended(instance);
  const { data } = (await space.call('GET', `/instances/${instance}/output`)).json();
  return Buffer.from(String(data), 'base64').toString().replace(/\s/g, '');
}

let stored = 0;
/** The workflow of the test that runs. */
const way = (): string => `way-${stored}`;

/** Stores a workflow that begins with a state, which has DATA under `x` afterwards, and goes on by every way out. */
const store = (state: string, start = ''): Promise<void> => {
  stored += 1;
  return space.store(way(), start + WAYS_OUT(urlOf()).replace('type: noop', state));
};

async function execute(input = '{}'): Promise<string> {
  const { text } = await client.call('POST', `${NAMESPACE}/tree/${way()}?op=execute`, { body: input });
  return String((JSON.parse(text) as { readonly instance: string }).instance);
}

async function broadcast(body: string, headers: Readonly<Record<string, string>>): Promise<string> {
  expect((await space.broadcast(body, headers)).status).toBe(200);
  return space.first(way());
}

const CE = { 'ce-specversion': '1.0', 'ce-source': 's' };
const structured = (type: string, data: string): string =>
  `{"specversion":"1.0","id":"${type}","source":"s","type":"${type}","data":${data}}`;
const STRUCTURED = { 'Content-Type': 'application/cloudevents+json' };

/** Every way in: each starts a run, which then has DATA under `x`. */
const WAYS_IN: Readonly<Record<string, () => Promise<string>>> = {
  'the input of a request': async () => {
    await store('type: noop');
    return execute(`{"x":${DATA}}`);
  },
  'a constant of the workflow': async () => {
    await store(`type: noop, transform: {x: ${DATA.replaceAll(':', ': ')}}`);
    return execute();
  },
  'a variable': async () => {
    await client.call('PUT', `${NAMESPACE}/vars/given`, { body: DATA, headers: JSON_TYPE });
    await store('type: getter, variables: [{key: given, scope: namespace}], transform: {x: jq(.var.given)}');
    return execute();
  },
  'the response of a server': async () => {
    await store('type: action, action: {function: web}, transform: {x: jq(.return.body)}');
    return execute();
  },
  'a foreach over a list': async () => {
    await store(
      "type: foreach, array: 'jq(.in)', action: {function: child, input: 'jq({it: .it})'}, transform: {x: 'jq(.return[0].it)'}",
    );
    return execute(`{"in":[{"it":${DATA}}]}`);
  },
  'a webhook': async () => {
    await store('type: noop, transform: {x: jq(.body)}', 'start: {type: webhook, verify: {none: true}}\n');
    await client.call('POST', `/api/hooks/numbers/${way()}`, { key: null, body: DATA, headers: JSON_TYPE });
    return space.first(way());
  },
  'a structured event': async () => {
    await store('type: noop, transform: {x: jq(.one.data)}', 'start: {type: event, event: {type: one}}\n');
    return broadcast(structured('one', DATA), STRUCTURED);
  },
  'a binary event': async () => {
    await store('type: noop, transform: {x: jq(.two.data)}', 'start: {type: event, event: {type: two}}\n');
    return broadcast(DATA, { ...JSON_TYPE, ...CE, 'ce-id': '2', 'ce-type': 'two' });
  },
  'an event that a run waits for': async () => {
    await store('type: consumeEvent, event: {type: three}, transform: {x: jq(.three.data)}');
    const instance = await execute();
    await space.listening(instance);
    return broadcast(structured('three', DATA), STRUCTURED);
  },
  'a script of JavaScript, without the fractions': async () => {
    const lists = "{id: 'js(return data.x.id)', list: 'js(return data.x.list)', small: js(return data.x.small)";
    await store(`type: noop, transform: {x: ${lists}, rate: jq(.x.rate)}}`);
    return execute(`{"x":${DATA}}`);
  },
};

describe('numbers that a double would change', () => {
  test.each(Object.keys(WAYS_IN))('come in by %s, and leave a run as they came', async (name) => {
    const instance = (await WAYS_IN[name]?.()) ?? '';
    await serveTask();
    expect(await outputOf(instance)).toBe(`{"child":${DATA},"work":${DATA},"x":${DATA}}`);
    expect(sent.at(-1)).toBe(DATA);
    expect((await space.call('GET', '/vars/kept')).text).toBe(DATA);
    const [event] = rowsOf((await space.call('GET', '/events?limit=1')).json()['events']?.['results']);
    expect(Buffer.from(String(event?.['cloudevent']), 'base64').toString()).toContain(DATA.slice(1, -1));
  });
});

/** The runs of the query of a state over the data of the issue: integers that a double would change. */
const QUERIES: Readonly<Record<string, string>> = {
  'jq(.)': '{"ids":[9007199254740993,9007199254740992],"x":9007199254740993}',
  'jq({r: {a: .x}})': '{"r":{"a":9007199254740993}}',
  'jq({r: (.x | tostring)})': '{"r":"9007199254740993"}',
  'jq({r: (. | tojson | fromjson | .x)})': '{"r":9007199254740993}',
  'jq({r: (.ids | sort)})': '{"r":[9007199254740992,9007199254740993]}',
  'jq({r: (.ids | unique | length)})': '{"r":2}',
  'jq({r: (.x == 9007199254740992), s: (.x == .ids[0])})': '{"r":false,"s":true}',
  'jq({r: (.x | type), s: (.x | not), t: [.ids[] | numbers]})':
    '{"r":"number","s":false,"t":[9007199254740993,9007199254740992]}',
  // Arithmetic is that of doubles.
  'jq({r: (.x + 1)})': '{"r":9007199254740992}',
  "{r: 'id-jq(.x)'}": '{"r":"id-9007199254740993"}',
  "{r: 'js(return data.x + 1n)'}": '{"r":9007199254740994}',
  "{r: 'js(return `id-${data.x}`)'}": '{"r":"id-9007199254740993"}',
  '{r: 1E2, s: 1.0, t: 0x20000000000001, u: -9223372036854775808, v: 1e-400}':
    '{"r":100,"s":1,"t":9007199254740993,"u":-9223372036854775808,"v":1e-400}',
};

describe('a query over numbers that a double would change', () => {
  const run = async (states: string): Promise<string> => {
    stored += 1;
    await space.store(way(), `states:\n${states}`);
    return outputOf(await execute('{"x":9007199254740993,"ids":[9007199254740993,9007199254740992]}'));
  };

  test.each(Object.entries(QUERIES))('%s is %s', async (query, output) => {
    const text = query.startsWith('{') ? query : `'${query}'`;
    expect(await run(`- {id: a, type: noop, transform: ${text}}\n`)).toBe(output);
  });

  test('decides a switch', async () => {
    const isOther = "{condition: 'jq(.x == 9007199254740992)', transform: {is: other}}";
    const isSame = "{condition: 'jq(.x == 9007199254740993)', transform: {is: same}}";
    expect(await run(`- {id: a, type: switch, conditions: [${isOther}, ${isSame}]}\n`)).toBe('{"is":"same"}');
  });

  test('computes with JavaScript in BigInts only', async () => {
    const caught = "catch: [{error: '*', transition: b}]";
    const states = `- {id: a, type: noop, transform: {r: 'js(return data.x + 1)'}, ${caught}}\n- {id: b, type: noop, transform: {r: jq(.error.msg)}}\n`;
    expect(await run(states)).toMatch(/BigInt|bigint/);
  });
});

/** A number beyond the range of doubles in each way in, and the beginning of the message that refuses it. */
const HUGE = '{"a":{"b":[3,1e400]}}';
const PROBLEM =
  'beyond the range of numbers, which ends at about 1.8e308: .a.b[1] is 1e400; write it as a text, in quotes';

describe('a number beyond the range of doubles', () => {
  test('is refused in the input of a run, with its path', async () => {
    const { status, json } = await client.call('POST', `${NAMESPACE}/tree/child?op=wait`, { body: HUGE });
    expect([status, json()['message']]).toEqual([400, `the input is ${PROBLEM}`]);
  });

  test('is refused in the body of an event and of a webhook', async () => {
    await store('type: noop', 'start: {type: webhook, verify: {none: true}}\n');
    const hook = await client.call('POST', `/api/hooks/numbers/${way()}`, {
      key: null,
      body: HUGE,
      headers: JSON_TYPE,
    });
    expect([hook.status, hook.text]).toEqual([400, expect.stringContaining(`the body is ${PROBLEM}`)]);
    await space.broadcast(HUGE, { ...JSON_TYPE, ...CE, 'ce-id': '9', 'ce-type': 'huge' });
    expect(await space.events('limit=1')).toMatchObject([{ error: `data: the JSON is ${PROBLEM}` }]);
  });

  test('fails a state that reads it from a variable', async () => {
    await client.call('PUT', `${NAMESPACE}/vars/huge`, { body: HUGE, headers: JSON_TYPE });
    await store('type: getter, variables: [{key: huge, scope: namespace}]');
    const ended = await space.ended(await execute());
    expect(ended).toMatchObject({ status: 'failed', code: 'service.jq.badCommand' });
  });

  test('is refused as the result of a query', async () => {
    await store("type: noop, transform: {x: 'jq(1e400)'}");
    expect(await space.ended(await execute())).toMatchObject({ status: 'failed', code: 'service.jq.badCommand' });
  });
});
