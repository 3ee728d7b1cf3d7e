import { randomUUID } from 'node:crypto';
import { at, rowsAt, textAt } from '../client/replies.ts';
import { openNamespace, readList } from '../client/service.ts';
import { NAMESPACE_NOTE, NAMESPACE_OPTION, PLACE_NOTES, PLACE_OPTIONS } from '../client/target.ts';
import {
  defineCommand,
  good,
  type Outcome,
  runVerb,
  shown,
  toJson,
  toTable,
  UsageError,
  type ValuesOf,
  type Verbs,
} from '../shell/command.ts';
import { readBytes } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';

const OPTIONS = {
  ...PLACE_OPTIONS,
  ...NAMESPACE_OPTION,
  type: { type: 'string' },
  source: { type: 'string' },
  id: { type: 'string' },
  subject: { type: 'string' },
  extension: { type: 'string', multiple: true },
  data: { type: 'string' },
  'content-type': { type: 'string' },
  limit: { type: 'string' },
} as const;

type Values = ValuesOf<typeof OPTIONS>;

interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** The ids of what is sent, where they are known. */
  readonly ids: readonly string[];
}

const ATTRIBUTE = /^[a-z0-9]{1,20}$/;

function extensionsOf({ extension = [] }: Values): [string, string][] {
  return extension.map((text) => {
    const at = text.indexOf('=');
    const name = text.slice(0, Math.max(at, 0)).toLowerCase();
    if (!ATTRIBUTE.test(name))
      throw new UsageError(`'${text}' is no extension; write it as name=value, of letters and digits`);
    return [name, text.slice(at + 1)];
  });
}

/** Attributes stand in headers, percent-encoded (CloudEvents HTTP binding, 3.1.3.2). */
const encoded = (text: string): string =>
  text.replace(/[^\x21\x23\x24\x26-\x7e]|%/gu, (letter) => (letter === ' ' ? '%20' : encodeURIComponent(letter)));

/** The event of flags: attributes in headers, its data as the body. Throws UsageError. */
async function fromFlags(values: Values, terminal: Terminal): Promise<Message> {
  const { type = '', source = 'weft', id = randomUUID(), subject, data } = values;
  const attributes = { specversion: '1.0', id, type, source, ...(subject === undefined ? {} : { subject }) };
  const all = [...Object.entries(attributes), ...extensionsOf(values)];
  const headers = Object.fromEntries(all.map(([name, text]) => [`ce-${name}`, encoded(text)]));
  const body =
    data === undefined
      ? ''
      : data.startsWith('@') || data === '-'
        ? await readBytes(terminal, data.replace(/^@/, ''))
        : data;
  const contentType = values['content-type'] ?? 'application/json';
  if (contentType === 'application/json' && body.length > 0) needJson(body);
  return { headers: { ...headers, 'Content-Type': contentType }, body, ids: [id] };
}

function needJson(body: string | Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    throw new UsageError('the data is no JSON; quote it, or name what it is by --content-type');
  }
}

/** An event as JSON, or a list of them; one without an id gets one, so that it can be told. Throws UsageError. */
function fromJson(file: string, bytes: Uint8Array): Message {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (error) {
    throw new UsageError(`${file} is no JSON: ${error instanceof Error ? error.message : error}`);
  }
  const isBatch = Array.isArray(value);
  const given: readonly unknown[] = isBatch ? (value as unknown[]) : [value];
  if (given.some((one) => typeof one !== 'object' || one === null)) throw new UsageError(`${file} holds no event`);
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
    throw new UsageError('name a file with the event (- for the standard input), or its --type');
  }
  const message =
    file === undefined ? await fromFlags(values, terminal) : fromJson(file, await readBytes(terminal, file));
  const { service, base } = await openNamespace(values, terminal);
  await service.put('POST', `${base}/broadcast`, { body: message.body, headers: message.headers });
  return shown(values, { sent: message.ids }, () => message.ids.map((id) => `sent ${id}`).join('\n'));
}

async function list(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { limit = '20', type } = values;
  if (!/^\d{1,9}$/.test(limit)) throw new UsageError(`--limit is a number, and not '${limit}'`);
  const query = new URLSearchParams({ limit });
  if (type !== undefined) {
    for (const [name, text] of Object.entries({ field: 'TYPE', type: 'CONTAINS', val: type }))
      query.set(`filter.${name}`, text);
  }
  const { service, base } = await openNamespace(values, terminal);
  const rows = rowsAt(await service.call('GET', `${base}/events?${query}`), 'events') ?? [];
  const cells = rows.map((row) => ['receivedAt', 'id', 'type', 'source'].map((name) => textAt(row, name)));
  return shown(values, rows, () => toTable([['RECEIVED', 'ID', 'TYPE', 'SOURCE'], ...cells]));
}

async function listeners(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  const rows = (await readList(service, `${base}/event-listeners`)) ?? [];
  const typesOf = (row: unknown) => {
    const events = at(row, 'events');
    return Array.isArray(events) ? events.map((event) => textAt(event, 'type')).join(' ') : '';
  };
  const cells = rows.map((row) => [
    textAt(row, 'workflow'),
    textAt(row, 'instance'),
    textAt(row, 'mode'),
    typesOf(row),
  ]);
  return shown(values, rows, () => toTable([['WORKFLOW', 'INSTANCE', 'MODE', 'TYPES'], ...cells]));
}

async function explain(values: Values, [id = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  return good(toJson(await service.call('GET', `${base}/events/${encodeURIComponent(id)}/explain`)));
}

async function replay(values: Values, [id = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  await service.call('POST', `${base}/events/${encodeURIComponent(id)}/replay`);
  return shown(values, { replayed: id }, () => `replayed ${id}`);
}

const VERBS: Verbs<Values> = {
  send: { takes: ['[FILE|-]'], run: send },
  list: { takes: [], run: list },
  listeners: { takes: [], run: listeners },
  explain: { takes: ['EVENT'], run: explain },
  replay: { takes: ['EVENT'], run: replay },
};

export const events = defineCommand({
  about: 'Sends cloud events, and tells what became of them',
  usage: [
    'events send FILE|-',
    'events send --type TYPE [--source SOURCE] [--id ID] [--subject S] [--extension NAME=VALUE ...] [--data JSON|@FILE|-]',
    'events list [--type TYPE] [--limit N]',
    'events listeners',
    'events explain EVENT',
    'events replay EVENT',
  ],
  notes: [
    '--type TYPE       the type of the event; of a list: the events whose type holds it',
    '--source SOURCE   where the event comes from (else weft)',
    '--id ID           the id of the event (else a new one)',
    '--subject S       what the event is about',
    '--extension N=V   a further attribute; may be repeated',
    '--data DATA       the data of the event; @FILE or - reads it',
    '--content-type T  what the data is (else application/json)',
    '--limit N         at most so many, the newest first (else 20)',
    NAMESPACE_NOTE,
    ...PLACE_NOTES,
  ],
  options: OPTIONS,
  words: Object.keys(VERBS),
  run: (values, rest, terminal) => runVerb(VERBS, values, rest, terminal),
});
