import { randomUUID } from 'node:crypto';
import { parseJson } from '../../../lib/language/json-numbers.ts';
import { omitUndefined } from '../../../lib/language/omit-undefined.ts';
import { at, rowsAt, textAt } from '../client/replies.ts';
import { openNamespace, readList } from '../client/service.ts';
import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import { explanationText } from '../inspection/event-explanation.ts';
import { defineVerbs, type Outcome, result, toTable, UsageError, type ValuesOf } from '../shell/command.ts';
import { readBytes } from '../shell/files.ts';
import { limitOf, limitOption } from '../shell/limit.ts';
import type { Terminal } from '../shell/terminal.ts';

const OPTIONS = {
  type: { type: 'string', value: 'TYPE', help: 'type of the event; for a list, a part of the type' },
  source: { type: 'string', value: 'SOURCE', help: 'source of the event (default: weft)' },
  id: { type: 'string', value: 'ID', help: 'id of the event (default: a new one)' },
  subject: { type: 'string', value: 'SUBJECT', help: 'subject of the event' },
  extension: {
    type: 'string',
    multiple: true,
    value: 'NAME=VALUE',
    help: 'extension attribute of the event; may be repeated',
  },
  data: { type: 'string', value: 'DATA', help: 'data of the event; @FILE reads a file, - the standard input' },
  'content-type': { type: 'string', value: 'TYPE', help: 'content type of the data (default: application/json)' },
  limit: limitOption('events'),
  ...NAMESPACE_OPTION,
  ...TARGET_OPTIONS,
} as const;

type Values = ValuesOf<typeof OPTIONS>;

interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** The ids of the events in it. */
  readonly ids: readonly string[];
}

const ATTRIBUTE = /^[a-z0-9]{1,20}$/;

function extensionsOf({ extension = [] }: Values): [string, string][] {
  return extension.map((text) => {
    const at = text.indexOf('=');
    const name = text.slice(0, Math.max(at, 0)).toLowerCase();
    if (!ATTRIBUTE.test(name)) {
      throw new UsageError(`'${text}' is no extension; write it as NAME=VALUE, the name in letters and digits`);
    }
    return [name, text.slice(at + 1)];
  });
}

/** The value of an attribute in a header, percent-encoded (CloudEvents HTTP binding, 3.1.3.2). */
const encoded = (text: string): string =>
  text.replace(/[^\x21\x23\x24\x26-\x7e]|%/gu, (letter) => (letter === ' ' ? '%20' : encodeURIComponent(letter)));

async function dataOf({ data }: Values, terminal: Terminal): Promise<Message['body']> {
  if (data === undefined) return '';
  return data.startsWith('@') || data === '-' ? readBytes(terminal, data.replace(/^@/, '')) : data;
}

/** An event from options: attributes in headers, its data as the body. Throws UsageError. */
async function fromOptions(values: Values, terminal: Terminal): Promise<Message> {
  const { type = '', source = 'weft', id = randomUUID(), subject } = values;
  const attributes = omitUndefined({ specversion: '1.0', id, type, source, subject });
  const all = [...Object.entries(attributes), ...extensionsOf(values)];
  const headers = Object.fromEntries(all.map(([name, text]) => [`ce-${name}`, encoded(text)]));
  const body = await dataOf(values, terminal);
  const contentType = values['content-type'] ?? 'application/json';
  if (contentType === 'application/json' && body.length > 0) needJson(body);
  return { headers: { ...headers, 'Content-Type': contentType }, body, ids: [id] };
}

function needJson(body: string | Uint8Array): unknown {
  try {
    return parseJson(Buffer.from(body).toString('utf8'));
  } catch {
    throw new UsageError('the data is no JSON; quote it, or give its type with --content-type');
  }
}

/** An event as JSON, or a list of events. An event without an id gets one. Throws UsageError. */
function fromJson(file: string, bytes: Uint8Array): Message {
  let value: unknown;
  try {
    value = parseJson(Buffer.from(bytes).toString('utf8'));
  } catch (error) {
    throw new UsageError(`${file} is no JSON: ${error instanceof Error ? error.message : error}`);
  }
  const isBatch = Array.isArray(value);
  const given: readonly unknown[] = isBatch ? (value as unknown[]) : [value];
  if (given.some((one) => typeof one !== 'object' || one === null)) throw new UsageError(`${file} contains no event`);
  const events = given.map((one) => ({ ...(one as object), id: textAt(one, 'id') || randomUUID() }));
  const type = isBatch ? 'application/cloudevents-batch+json' : 'application/cloudevents+json';
  return {
    headers: { 'Content-Type': type },
    body: JSON.stringify(isBatch ? events : events[0]),
    ids: events.map(({ id }) => id),
  };
}

async function send(values: Values, [file]: readonly string[], terminal: Terminal): Promise<Outcome> {
  if ((file === undefined) === (values.type === undefined)) {
    throw new UsageError('give either a file with the event (- for the standard input) or its --type');
  }
  const message =
    file === undefined ? await fromOptions(values, terminal) : fromJson(file, await readBytes(terminal, file));
  const { service, base } = await openNamespace(values, terminal);
  await service.upload('POST', `${base}/broadcast`, { body: message.body, headers: message.headers });
  return result(values, { sent: message.ids }, () => message.ids.map((id) => `sent ${id}`).join('\n'));
}

async function list(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { type } = values;
  const query = new URLSearchParams({ limit: limitOf(values) });
  if (type !== undefined) {
    for (const [name, text] of Object.entries({ field: 'TYPE', type: 'CONTAINS', val: type })) {
      query.set(`filter.${name}`, text);
    }
  }
  const { service, base } = await openNamespace(values, terminal);
  const rows = rowsAt(await service.call('GET', `${base}/events?${query}`), 'events') ?? [];
  const cells = rows.map((row) => ['receivedAt', 'id', 'type', 'source'].map((name) => textAt(row, name)));
  return result(values, rows, () => toTable([['RECEIVED', 'ID', 'TYPE', 'SOURCE'], ...cells]));
}

async function listeners(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  const rows = (await readList(service, `${base}/event-listeners`)) ?? [];
  const typesOf = (row: unknown) => {
    const events = at(row, 'events');
    return Array.isArray(events) ? events.map((event) => textAt(event, 'type')).join(' ') : '';
  };
  const cells = rows.map((row) => [...['workflow', 'instance', 'mode'].map((name) => textAt(row, name)), typesOf(row)]);
  return result(values, rows, () => toTable([['WORKFLOW', 'INSTANCE', 'MODE', 'TYPES'], ...cells]));
}

async function explain(values: Values, [id = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  const reply = await service.call('GET', `${base}/events/${encodeURIComponent(id)}/explain`);
  return result(values, reply, () => explanationText(reply));
}

async function replay(values: Values, [id = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  await service.call('POST', `${base}/events/${encodeURIComponent(id)}/replay`);
  return result(values, { replayed: id }, () => `replayed ${id}`);
}

export const events = defineVerbs({
  about: 'Sends cloud events, lists them and their listeners, and explains what an event started',
  usage: [
    'events send FILE|-',
    'events send --type TYPE [--source SOURCE] [--id ID] [--subject SUBJECT] [--extension NAME=VALUE ...] [--data DATA]',
    'events [list] [--type TYPE] [--limit N]',
    'events listeners',
    'events explain EVENT',
    'events replay EVENT',
  ],
  options: OPTIONS,
  defaultVerb: 'list',
  verbs: {
    send: { takes: ['[FILE|-]'], run: send },
    list: { takes: [], run: list },
    listeners: { takes: [], run: listeners },
    explain: { takes: ['EVENT'], run: explain },
    replay: { takes: ['EVENT'], run: replay },
  },
});
