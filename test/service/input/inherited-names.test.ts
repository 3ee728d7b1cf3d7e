import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, openClient } from '../access/client.ts';

/** Names that every object of JavaScript has, each with one of the same kind that none has. */
const NAMES: readonly (readonly [name: string, usual: string])[] = [
  ['toString', 'toStrinh'],
  ['constructor', 'constructos'],
  ['__proto__', '__protp__'],
];

const NAMESPACE = '/api/namespaces/inherited-names';

let client: Client;
beforeAll(async () => {
  client = await openClient();
  await client.call('PUT', NAMESPACE);
});
afterAll(() => client.close());

/** Workflows that use a name as a key of data, of a variable, of an attribute and of a function's argument. */
const WORKFLOWS: Readonly<Record<string, (name: string) => string>> = {
  'a constant': (name) => `
states:
- {id: a, type: noop, transform: {${name}: 1, inner: {${name}: {${name}: [2]}}}}`,
  'keys of jq': (name) => `
states:
- {id: a, type: noop, transform: 'jq({"${name}": .["${name}"], has: has("${name}"), keys: keys, b: (. + {"${name}": 3})})'}`,
  'keys of js': (name) => `
states:
- {id: a, type: noop, transform: 'js(return {...data, ["${name}"]: Object.keys(data)})'}`,
  'a value with the member': (name) => `
states:
- {id: a, type: switch, conditions: [{condition: 'jq(.["${name}"] != null)', transition: b, transform: {${name}: {${name}: 1}}}], defaultTransform: {${name}: no}}
- {id: b, type: noop, transform: {out: 'jq(.)', text: 'jq(.["${name}"])/jq(.)'}}`,
  'a variable': (name) => `
states:
- id: a
  type: setter
  variables: [{key: ${name}, scope: instance, value: 'jq(.)'}, {key: ${name}, scope: namespace, value: {${name}: 1}}]
  transition: b
- id: b
  type: getter
  variables: [{key: ${name}, scope: instance}, {key: ${name}, scope: namespace, as: also}]`,
  'a variable that is missing': (name) => `
states:
- {id: a, type: getter, variables: [{key: ${name}x, scope: workflow, as: ${name}}]}`,
  'an error': (name) => `
states:
- {id: a, type: error, error: ${name}, message: 'the %s', args: ['jq(.["${name}"])'], transition: b}
- {id: b, type: noop}`,
  'an error that is caught': (name) => `
functions: [{id: f, type: subflow, workflow: missing}]
states:
- {id: a, type: action, action: {function: f, input: {${name}: 1}}, catch: [{error: ${name}, transition: b}, {error: '*', transition: b}]}
- {id: b, type: noop}`,
  'an event': (name) => `
states:
- {id: a, type: generateEvent, event: {type: ${name}, source: ${name}, data: {${name}: 1}, context: {${name.toLowerCase().replaceAll('_', '')}: ${name}}}}`,
  'a log': (name) => `
states:
- {id: a, type: noop, log: {${name}: 1}, metadata: {${name}: 1}}`,
  'labels of a foreach': (name) => `
functions: [{id: f, type: subflow, workflow: echo}]
states:
- {id: a, type: foreach, array: 'jq([{"${name}": 1}, .])', action: {function: f, input: 'jq(.)'}}`,
  'a header of a request': (name) => `
functions: [{id: f, type: http, url: 'http://127.0.0.1:1/', headers: {${name}: ${name}}, query: {${name}: ${name}}}]
states:
- {id: a, type: action, action: {function: f, input: {${name}: 1}}, catch: [{error: '*', transition: b}]}
- {id: b, type: noop, transform: {out: 'jq(.error.code)'}}`,
};

const INPUTS: Readonly<Record<string, (name: string) => string>> = {
  'with the member': (name) => `{"${name}": {"${name}": "x"}}`,
  'without it': () => '{"a": 1}',
};

/** All replies about a workflow and its runs for a name, in which the name is `NAME`. */
async function repliesFor(what: string, name: string): Promise<string> {
  const text = (WORKFLOWS[what] ?? String)(name);
  const tree = `${NAMESPACE}/tree/flow`;
  await client.call('DELETE', `${tree}?op=delete-node`);
  const created = await client.call('PUT', `${tree}?op=create-workflow`, { body: text });
  const replies = [String(created.status)];
  for (const input of Object.values(INPUTS)) {
    const run = await client.call('POST', `${tree}?op=wait`, { body: input(name) });
    replies.push(`${run.status} ${run.text}`);
    const instance = run.headers.get('direktiv-instance-id');
    const [, found] = await Promise.all([
      client.call('DELETE', `${NAMESPACE}/vars/${name}`),
      instance === null ? undefined : client.call('GET', `${NAMESPACE}/instances/${instance}`),
    ]);
    const status = (found?.json()['instance'] ?? {}) as { readonly [name: string]: unknown };
    replies.push(`${found?.status} ${status['status']} ${status['errorCode']} ${status['errorMessage']}`);
  }
  const forms = [name, name.toLowerCase(), name.toLowerCase().replaceAll('_', '')];
  const unnamed = forms.reduce((text, form) => text.replaceAll(form, 'NAME'), replies.join('\n'));
  return unnamed.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID');
}

test.each(Object.keys(WORKFLOWS))('a name that every object has is a name like any other: %s', async (what) => {
  await client.call('PUT', `${NAMESPACE}/tree/echo?op=create-workflow`, { body: 'states: [{id: a, type: noop}]' });
  for (const [name, usual] of NAMES)
    expect([name, await repliesFor(what, name)]).toEqual([name, await repliesFor(what, usual)]);
});
