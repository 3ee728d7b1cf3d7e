/** The batches of this process that gave up the processor and wait to go on, in FIFO order. */
const queue: (() => void)[] = [];
let isResuming = false;

function resumeNext(): void {
  queue.shift()?.();
  isResuming = queue.length > 0;
  if (isResuming) setImmediate(resumeNext);
}

/**
 * Gives up the processor, so that requests of the same process need not wait for runs that compute. Resolves in FIFO
 * order, one batch between two polls of the event loop.
 */
export function yieldProcessor(): Promise<void> {
  return new Promise((resolve) => {
    queue.push(resolve);
    if (isResuming) return;
    isResuming = true;
    setImmediate(resumeNext);
  });
}
