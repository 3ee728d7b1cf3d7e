import * as z from 'zod/mini';
import { time, uuid } from './scalars.ts';

/** The place of a queued run, from 1, and the runs that have the places of the workflow. */
export const place = z.object({ workflow: z.string(), key: z.string(), place: z.int(), heldBy: z.array(uuid) });

/** The field of the workflow that holds a queued run back, until when, and how many starts have made the run. */
export const held = z.object({
  workflow: z.string(),
  by: z.enum(['rate', 'debounce']),
  key: z.string(),
  until: time,
  starts: z.int(),
});
