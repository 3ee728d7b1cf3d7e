import { setTimeout as sleep } from 'node:timers/promises';
import { type Engine, lastLine } from './engine.ts';

/** How an engine reports that a container does not exist. */
const NO_SUCH_CONTAINER = /no such container|no container with/i;
const RETRY_MS = 1_000;
const MAX_ATTEMPTS = 60;

/**
 * Removes a container. `ended` is the end of the `run` command that creates the container: a container that does not
 * exist yet is removed as soon as it does. A removal that fails, as it may beside other commands of the engine, is
 * retried. Resolves when the container is gone and the command has ended.
 */
export async function removeContainer(engine: Engine, name: string, ended: Promise<unknown>): Promise<void> {
  let hasEnded = false;
  const end = ended.then(() => {
    hasEnded = true;
  });
  for (let attempt = 1; ; attempt += 1) {
    const cannotReturn = hasEnded;
    const { code, stdout, stderr } = await engine.run([...engine.remove, name]);
    const wasRemoved = code === 0 && stdout.trim() !== '';
    const isAbsent = code === 0 || NO_SUCH_CONTAINER.test(stderr);
    if (wasRemoved || (isAbsent && cannotReturn)) break;
    if (attempt >= MAX_ATTEMPTS) {
      console.error(`the container ${name} cannot be removed: ${lastLine(stderr)}`);
      break;
    }
    await Promise.race([...(hasEnded ? [] : [end]), sleep(RETRY_MS, undefined, { ref: false })]);
  }
  await end;
}
