/**
 * What runs beside a function on Lambda, on ports and in a folder of a test's own:
 * `node beside.ts '{"functionPort": 1, ...}' node function.mjs`.
 */
import { serveEnvironment } from '../../../../../lib/containers/sidecar/execution-environment.ts';
import type { CallTimeouts } from '../../../../../lib/containers/sidecar/lambda-call.ts';
import type { SidecarConfig } from '../../../../../lib/containers/sidecar/config.ts';

const [settings = '{}', ...command] = process.argv.slice(2);
const { patience, ...place } = JSON.parse(settings) as SidecarConfig & { readonly patience: CallTimeouts };
await serveEnvironment({ command, environment: process.env, place, patience });
