/**
 * Many runs may compute in one process. A run that has had the processor for a while gives it up and is called again
 * when its turn comes: one run between two looks at the network, so requests never wait for all of them.
 */
const waiting: (() => void)[] = [];
let isCalling = false;

function callNext(): void {
  waiting.shift()?.();
  isCalling = waiting.length > 0;
  if (isCalling) setImmediate(callNext);
}

/** Resolves when it is the caller's turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (isCalling) return;
    isCalling = true;
    setImmediate(callNext);
  });
}
