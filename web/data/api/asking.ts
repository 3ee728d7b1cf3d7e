import { isWelcome } from './reach.ts';
import { key } from './session.ts';

/**
 * Calls `act` at an interval while the page is visible, a key is set, and the service has not asked clients to wait.
 * Returns the function that stops it.
 */
export function every(milliseconds: number, act: () => void): () => void {
  const timer = setInterval(() => {
    if (!document.hidden && key.peek() !== undefined && isWelcome()) act();
  }, milliseconds);
  return () => clearInterval(timer);
}
