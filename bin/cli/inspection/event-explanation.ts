import { ownMember } from '../../../lib/language/own-members.ts';
import { at, textAt } from '../client/replies.ts';
import { counted, inMilliseconds } from '../shell/command.ts';

/** The effects of the event on a listener, as text for the user, by the names that the service has for them. */
const EFFECTS: Readonly<Record<string, string>> = {
  taken: 'the waiting run took it and went on',
  had: 'the waiting run had taken it before',
  'not wanted': 'it does not match, or the place of this event is taken already',
  'too early': 'it came before the run began to wait',
  gone: 'the run does not wait any more',
  collected: 'it was collected; the workflow starts when its other events have come',
};

const valueText = (value: unknown): string => (value === undefined ? 'absent' : JSON.stringify(value));

/** `start ID` and `wait ID` name listeners; the id of a wait is that of its run. */
function nameOf(listener: unknown): string {
  const [kind = '', id = ''] = textAt(listener, 'listener').split(' ');
  const workflow = textAt(listener, 'workflow');
  return kind === 'wait' ? `${workflow}, run ${id}` : workflow;
}

function effectOf(listener: unknown): string {
  const failed = at(listener, 'failed');
  if (failed !== undefined) {
    const attribute = textAt(failed, 'attribute');
    return `does not match: ${attribute} is ${valueText(at(failed, 'found'))}, wanted ${valueText(at(failed, 'expected'))}`;
  }
  const did = textAt(listener, 'did');
  const started = textAt(listener, 'started');
  if (started !== '') return `started run ${started}`;
  return ownMember(EFFECTS, did) ?? did;
}

/** The explanation of an event as text: the event, and its effect on each listener. */
export function explanationText(reply: unknown): string {
  const event = at(reply, 'event');
  const [id, type, source] = ['id', 'type', 'source'].map((name) => textAt(event, name));
  const head = `event ${id} of type '${type}' from '${source}', received ${inMilliseconds(textAt(event, 'receivedAt'))}`;
  const listed = at(reply, 'listeners');
  const listeners: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const routed = at(reply, 'routed') === true ? [] : ['its delivery is not complete yet'];
  if (listeners.length === 0) {
    const hint = `nothing listens for the type '${type}'; 'weft events listeners' lists what is listened for`;
    return [head, ...routed, hint].join('\n');
  }
  const lines = listeners.map((listener) => `  ${nameOf(listener)}: ${effectOf(listener)}`);
  return [head, ...routed, `${counted(listeners.length, 'listener')} of this type:`, ...lines].join('\n');
}
