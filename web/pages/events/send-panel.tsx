import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { EventRecord, Listener } from '../../../clients/api/operations.ts';
import { call } from '../../data/api/client.ts';
import { useRead } from '../../data/api/live.ts';
import { into, useTask } from '../../data/api/task.ts';
import { draftOfEvent, type EventDraft, isForDecision, sendEvent } from '../../data/events/events.ts';
import { prettyJson } from '../../data/format/json.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { go } from '../../data/navigation/location.ts';
import { AreaField, TextField } from '../../parts/field/field.tsx';
import { Form } from '../../parts/form/form.tsx';
import { say } from '../../parts/toast/toast.tsx';

interface SendPanelProps {
  readonly namespace: string;
  /** The event to send again. */
  readonly from: string | undefined;
  readonly type: string;
  readonly attributes: string;
}

interface Template {
  readonly name: string;
  readonly draft: EventDraft;
}

const LOOKED_AT = 100;

/** A draft that matches a listener; patterns must be replaced by the user. */
const draftFor = ({ type, filters }: Listener['events'][number]): EventDraft => ({
  type,
  source: 'console',
  attributes: JSON.stringify(filters, null, 2),
  data: '{}',
});

function templatesOf(events: readonly EventRecord[], listeners: readonly Listener[]): readonly Template[] {
  const awaited = listeners.flatMap(({ workflow, events: slots }) =>
    slots.map((slot) => ({ name: `${slot.type}, awaited by ${workflow}`, draft: draftFor(slot) })),
  );
  const seen = new Map(events.map((event) => [event.type, event] as const).reverse());
  const former = [...seen.values()].map((event) => ({
    name: `${event.type}, as it came last`,
    draft: draftOfEvent(event),
  }));
  const all = new Map([...awaited, ...former].map((template) => [template.name, template]));
  return [...all.values()];
}

/** The newest events, and the templates made of them and of the listeners. */
async function readTemplates(namespace: string) {
  const [{ events }, { results }] = await Promise.all([
    call('listEvents', { namespace }, { query: { limit: LOOKED_AT } }),
    call('listEventListeners', { namespace }),
  ]);
  const listeners = results.filter((one) => !isForDecision(one));
  return { events: events.results, templates: templatesOf(events.results, listeners) };
}

interface Fields {
  readonly type: Signal<string>;
  readonly source: Signal<string>;
  readonly attributes: Signal<string>;
  readonly data: Signal<string>;
}

function fill(fields: Fields, draft: EventDraft): void {
  fields.type.value = draft.type;
  fields.source.value = draft.source;
  fields.attributes.value = draft.attributes;
  fields.data.value = draft.data;
}

function Templates({
  templates,
  onTake,
}: {
  readonly templates: readonly Template[];
  readonly onTake: (draft: EventDraft) => void;
}) {
  if (templates.length === 0) return null;
  return (
    <section aria-label="Templates">
      <h2 class="minor">Begin with</h2>
      <ul>
        {templates.slice(0, 12).map(({ name, draft }) => (
          <li key={name}>
            <button type="button" class="past-input" onClick={() => onTake(draft)}>
              <span class="grows cut">{name}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function useFields(type: string, attributes: string): Fields {
  return {
    type: useSignal(type),
    source: useSignal('console'),
    attributes: useSignal(prettyJson(attributes)),
    data: useSignal('{}'),
  };
}

const draftIn = ({ type, source, attributes, data }: Fields): EventDraft => ({
  type: type.value,
  source: source.value,
  attributes: attributes.value,
  data: data.value,
});

function Inputs({ type, source, attributes, data }: Fields) {
  return (
    <>
      <TextField label="Type" isCode isRequired hasFocus value={type.value} onInput={into(type)} />
      <TextField label="Source" isCode isRequired value={source.value} onInput={into(source)} />
      <AreaField
        label="Attributes"
        isCode
        rows={3}
        value={attributes.value}
        hint="JSON of an object; listeners compare these"
        onInput={into(attributes)}
      />
      <AreaField label="Data" isCode rows={6} value={data.value} hint="JSON; no text sends none" onInput={into(data)} />
    </>
  );
}

/** A form for an event; it begins with the type and attributes for which a listener waits, or with an earlier event. */
export function SendPanel({ namespace, from, type, attributes }: SendPanelProps) {
  const fields = useFields(type, attributes);
  // Templates are optional: an error is not shown.
  const { value } = useRead(['templates', namespace], () => readTemplates(namespace));
  const { templates = [], events } = value.value ?? {};
  useEffect(() => {
    const former = events?.find(({ id }) => id === from);
    if (former !== undefined) fill(fields, draftOfEvent(former));
  }, [from, events]);
  const task = useTask();
  const send = async () => {
    const draft = draftIn(fields);
    const id = await sendEvent(namespace, draft);
    say(`Sent ${draft.type}`);
    go(addresses.event(namespace, id));
  };
  return (
    <div class="stack">
      <Form task={task} work={send} act="Send" icon="send" failure="Nothing was sent">
        <Inputs {...fields} />
      </Form>
      <Templates templates={templates} onTake={(draft) => fill(fields, draft)} />
    </div>
  );
}
