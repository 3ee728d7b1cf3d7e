import type { EventRecord, Listener } from '../../../clients/api/operations.ts';
import { call } from '../../data/api/client.ts';
import { useEdit } from '../../data/api/edit.ts';
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

interface InputsProps {
  readonly draft: EventDraft;
  readonly set: (change: Partial<EventDraft>) => void;
}

function Inputs({ draft: { type, source, attributes, data }, set }: InputsProps) {
  return (
    <>
      <TextField label="Type" isCode isRequired hasFocus value={type} onInput={(text) => set({ type: text })} />
      <TextField label="Source" isCode isRequired value={source} onInput={(text) => set({ source: text })} />
      <AreaField
        label="Attributes"
        isCode
        rows={3}
        value={attributes}
        hint="JSON of an object; listeners compare these"
        onInput={(text) => set({ attributes: text })}
      />
      <AreaField
        label="Data"
        isCode
        rows={6}
        value={data}
        hint="JSON; no text sends none"
        onInput={(text) => set({ data: text })}
      />
    </>
  );
}

/** A form for an event; it begins with the type and attributes for which a listener waits, or with an earlier event. */
export function SendPanel({ namespace, from, type, attributes }: SendPanelProps) {
  // Templates are optional: an error is not shown.
  const { value } = useRead(['templates', namespace], () => readTemplates(namespace));
  const { templates = [], events } = value.value ?? {};
  const former = events?.find(({ id }) => id === from);
  const edit = useEdit(
    former === undefined
      ? { type, source: 'console', attributes: prettyJson(attributes), data: '{}' }
      : draftOfEvent(former),
  );
  const draft = edit.value;
  const set = (change: Partial<EventDraft>) => into(draft)({ ...draft.peek(), ...change });
  const task = useTask();
  const send = async () => {
    const { type: sent } = draft.peek();
    const id = await sendEvent(namespace, draft.peek());
    say(`Sent ${sent}`);
    go(addresses.event(namespace, id));
  };
  return (
    <div class="stack">
      <Form task={task} work={send} act="Send" icon="send" failure="Nothing was sent">
        <Inputs draft={draft.value} set={set} />
      </Form>
      <Templates templates={templates} onTake={into(draft)} />
    </div>
  );
}
