import { isWelcome } from './reach.ts';
import { key } from './session.ts';

/**
 * Does something every so many milliseconds, while the page is in sight, a key is there, and the service has not asked
 * to be left alone. Returns the function that ends it.
 */
export function every(milliseconds: number, act: () => void): () => void {
  const timer = setInterval(() => {
    if (!document.hidden && key.peek() !== undefined && isWelcome()) act();
  }, milliseconds);
  return () => clearInterval(timer);
}
