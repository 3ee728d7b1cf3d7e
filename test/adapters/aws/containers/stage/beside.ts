/**
 * What runs beside a function on Lambda, on ports and in a folder of a test's own:
 * `node beside.ts '{"functionPort": 1, ...}' node function.mjs`.
 */
import { serveCopy } from '../../../../../lib/containers/sidecar/copy.ts';
import type { Patience } from '../../../../../lib/containers/sidecar/lambda-call.ts';
import type { Place } from '../../../../../lib/containers/sidecar/place.ts';

const [settings = '{}', ...command] = process.argv.slice(2);
const { patience, ...place } = JSON.parse(settings) as Place & { readonly patience: Patience };
await serveCopy({ command, environment: process.env, place, patience });
