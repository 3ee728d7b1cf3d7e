import { omitUndefined } from '../../language/omit-undefined.ts';
import { addDuration, parseDuration } from '../../time/durations.ts';
import { reportInvalid } from '../decoding/context.ts';
import { createDecoder, duration, query, reportWrongType, required, transition } from '../decoding/decoders.ts';
import { object } from '../decoding/object.ts';
import { optionalAction, toAction } from '../parts/actions.ts';
import { schema } from '../parts/schemas.ts';
import { sentEvent, toEmittedEvent } from '../parts/sent-events.ts';
import { defineState } from '../parts/state.ts';
import type { ActionPlan, ReminderPlan } from '../plan/plan.ts';

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,39}$/;

type Choice = readonly [name: string, transition: string | undefined];

/** The choices by their names, each with the id of the state that follows; null: the run ends. */
const choices = createDecoder({ kind: 'map' }, (node, field, context): readonly Choice[] => {
  if (node === undefined) return [];
  if (node.kind !== 'map') return reportWrongType(context, node, field, 'a map') ?? [];
  return [...node.entries.values()].map((entry): Choice => {
    const { key: name, node: value, line, column } = entry;
    if (!NAME.test(name)) {
      const hint = () => 'it begins with a letter, and has at most 40 letters, digits, - and _';
      reportInvalid(context, { line, column }, `choices: '${name}' is no name of a choice`, hint);
    }
    return [name, transition(value.value === null ? undefined : value, { name, line, column }, context)];
  });
});

const reminder = object({ after: required(duration), action: optionalAction, event: sentEvent });

const lengthOf = ({ after }: ReminderPlan): number => {
  const parsed = parseDuration(after);
  return parsed === undefined ? 0 : addDuration(0, parsed);
};

/** A reminder without an action and an event repeats the notification. */
function toReminder(decoded: ReturnType<typeof reminder>, notify: ActionPlan | undefined): readonly ReminderPlan[] {
  if (decoded === undefined) return [];
  const { after, action, event } = decoded;
  const sent = event && toEmittedEvent(event);
  const call = action === undefined ? (sent === undefined ? notify : undefined) : toAction(action);
  return [{ after, ...omitUndefined({ action: call, event: sent }) }];
}

/** Waits for a decision, which is made by a link (docs/states/approval.md). */
export const approval = defineState(
  'approval',
  {
    subject: required(query),
    text: query,
    assignees: query,
    choices: required(choices),
    form: schema,
    notify: optionalAction,
    remind: reminder,
    escalate: reminder,
    timeout: duration,
    transform: query,
  },
  ({ subject, text, assignees, form, notify, remind, escalate, timeout, transform, ...state }) => {
    const call = notify && toAction(notify);
    const reminders = [...toReminder(remind, call), ...toReminder(escalate, call)];
    return {
      work: {
        do: 'approve',
        subject,
        choices: state.choices.map(([name, to]) => ({ name, ...omitUndefined({ transform, transition: to }) })),
        reminders: reminders.toSorted((a, b) => lengthOf(a) - lengthOf(b)),
        ...omitUndefined({ text, assignees, form, notify: call, timeout }),
      },
    };
  },
);
