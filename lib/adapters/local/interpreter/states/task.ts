import { INVOKE_AND_WAIT } from '../../../../compiler/emit/asl.ts';
import { type Move, type Scene, unfit, whole } from '../context/evaluation-context.ts';
import { ERRORS } from '../context/failure.ts';
import { textWithin } from '../context/limits.ts';
import { type Kind, leaveWithResult } from './kind.ts';

/** What is asked of a function; it is kept so that a restart asks the same again. */
export interface Call {
  readonly function: string;
  readonly payload: unknown;
}

export const task: Kind = {
  events: { work: 2, result: 1 },
  enter: async (scene) => {
    const token = scene.step.resource === INVOKE_AND_WAIT ? scene.clock.secret() : undefined;
    scene.token = token;
    const call = callOf(scene, await scene.value('Arguments'));
    textWithin(scene.limits.bytes, 'the payload', call.payload);
    return { move: 'call', work: JSON.stringify(call), ...(token ? { token } : {}), ...(await patience(scene)) };
  },
  leave: leaveWithResult,
};

function callOf(scene: Scene, value: unknown): Call {
  const { FunctionName: name, Payload: payload = {} } = (value ?? {}) as { FunctionName?: unknown; Payload?: unknown };
  if (typeof name !== 'string') throw unfit(scene, 'Arguments.FunctionName', 'text');
  return { function: name, payload };
}

type Patience = Pick<Extract<Move, { move: 'call' }>, 'due' | 'dueError'>;

/** Nobody can send a heartbeat through the port, so a heartbeat is a second and shorter patience. */
async function patience(scene: Scene): Promise<Patience> {
  const timeout = await whole(scene, 'TimeoutSeconds', 1);
  const heartbeat = await whole(scene, 'HeartbeatSeconds', 1);
  const [seconds, dueError] =
    heartbeat !== undefined && heartbeat < (timeout ?? Number.POSITIVE_INFINITY)
      ? [heartbeat, ERRORS.heartbeat]
      : [timeout, ERRORS.timeout];
  return seconds === undefined ? {} : { due: scene.clock.now() + seconds * 1000, dueError };
}
