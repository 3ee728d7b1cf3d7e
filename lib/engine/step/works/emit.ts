import type { EmittedEvent } from '../../../compiler/plan/plan.ts';
import * as events from '../../../domain/events/events.ts';
import type { CloudEvent } from '../../../events/cloud-event.ts';
import { setMember, toJson } from '../../../language/json.ts';
import { isNumber, parseJson } from '../../../language/json-numbers.ts';
import { textOf } from '../../../language/own-members.ts';
import { addDuration, parseDuration } from '../../../time/durations.ts';
import { evaluate } from '../../evaluation/evaluation.ts';
import { failure, plainFailure, StateError } from '../../evaluation/failures.ts';
import type { StepUnit } from '../../run/commit/step-unit.ts';
import type { Perform, WorkOf } from './work.ts';

const JSON_TYPE = 'application/json';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The data of the event: JSON, or a text or bytes as they are under another type (reference, 10.14). */
function payloadOf(value: unknown, type: string | undefined): Record<string, unknown> {
  if (type === undefined || type === '' || type === JSON_TYPE || typeof value !== 'string') {
    return { datacontenttype: JSON_TYPE, data: parseJson(toJson(value)) as unknown };
  }
  // The decoder of the original ignores line breaks.
  const bytes = value.replace(/[\r\n]/g, '');
  return BASE64.test(bytes) && bytes !== ''
    ? { datacontenttype: type, data_base64: bytes }
    : { datacontenttype: type, data: value };
}

const NAME = /^[a-z0-9]+$/;
const CORE = new Set([
  'specversion',
  'id',
  'source',
  'type',
  'subject',
  'time',
  'datacontenttype',
  'dataschema',
  'data',
]);
const SCALARS = new Set(['string', 'boolean']);

function problemOf(name: string, value: unknown): string | undefined {
  if (!NAME.test(name) || CORE.has(name)) return `'${name}' is no name of an extension`;
  return isNumber(value) || SCALARS.has(typeof value) ? undefined : `'${name}' is no text, number or boolean`;
}

/**
 * The extensions of the event. One that is invalid is logged, and the event is sent without it. Throws the uncatchable
 * `event.jq` for a query that fails (workflow-language reference, 5.5).
 */
async function extensionsOf(unit: StepUnit, { context }: EmittedEvent): Promise<Record<string, unknown>> {
  const extensions: Record<string, unknown> = {};
  for (const [given, query] of Object.entries(context)) {
    const name = given.toLowerCase();
    const value = await evaluate(query, unit.data).catch((error: unknown) => {
      if (!(error instanceof StateError)) throw error;
      throw failure('event.jq', `failed to process event context key '${given}': ${error.message}`, error.evaluated);
    });
    const problem = problemOf(name, value);
    if (problem !== undefined) unit.log(`Unable to set event extension: ${problem}`, 'error');
    else {
      unit.log(`Adding context ${name}: ${textOf(value)}`);
      setMember(extensions, name, value);
    }
  }
  return extensions;
}

function timeOf(unit: StepUnit, { delay }: WorkOf<'emit'>): number | undefined {
  const duration = delay === undefined || delay === 'immediate' ? undefined : parseDuration(delay);
  return duration === undefined ? undefined : addDuration(unit.ports.clock.now(), duration);
}

function needSize(event: CloudEvent): void {
  try {
    events.needSize(event);
  } catch (error) {
    throw plainFailure((error as Error).message);
  }
}

/** Sends an event: it is recorded with the run's commit and published after it, or after the delay. */
export const emit: Perform<'emit'> = async (unit, work) => {
  unit.sendAsking(await eventOf(unit, work.event), timeOf(unit, work));
  return undefined;
};

/** The event that a state sends, logged; it is not sent yet. Throws for an event that is too large. */
export async function eventOf(unit: StepUnit, sent: EmittedEvent): Promise<CloudEvent> {
  const { type, source, data, datacontenttype } = sent;
  const payload = payloadOf(await evaluate(data, unit.data), datacontenttype);
  const extensions = await extensionsOf(unit, sent);
  const id = unit.ports.clock.uuid();
  const event: CloudEvent = { specversion: '1.0', id, source, type, ...extensions, ...payload };
  needSize(event);
  unit.log(`Broadcasting event: ${id}.`);
  return event;
}
