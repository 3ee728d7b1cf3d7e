import { DAY_MS } from '../../time/units.ts';
import { durationMs, MAX_PART_DAYS } from '../plan/execution.ts';
import { reportInvalid } from './context.ts';
import { createDecoder, duration, positive, required } from './decoders.ts';

/** The most places, starts or events: they are one item of the table. */
const MAX_PLACES = 1000;

/** A number of runs or starts, from 1. */
export const limit = createDecoder(required(positive).accepts, (node, field, context) => {
  const value = required(positive)(node, field, context);
  if (value > MAX_PLACES) reportInvalid(context, node ?? field, `${field.name} must be at most ${MAX_PLACES}`);
  return value;
});

const MIN_PERIOD_MS = 1000;

/** A duration of at least a second and at most the longest wait of an execution. */
export const optionalPeriod = createDecoder(duration.accepts, (node, field, context) => {
  const value = duration(node, field, context);
  if (value === undefined) return undefined;
  const ms = durationMs(value) ?? MIN_PERIOD_MS;
  const isUsable = ms >= MIN_PERIOD_MS && ms <= MAX_PART_DAYS * DAY_MS;
  if (!isUsable) {
    reportInvalid(context, node ?? field, `${field.name} must be from 1 second to ${MAX_PART_DAYS} days`);
  }
  return value;
});

/** As `optionalPeriod`. Undefined values are reported. */
export const period = required(optionalPeriod);
