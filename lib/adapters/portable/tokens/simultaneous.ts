import { SignInError } from '../../../ports/tokens.ts';

/**
 * Work of which only so many calls run at the same time, because any client may cause it. Further ones throw SignInError
 * `unavailable`.
 */
export function limitedTo<A, R>(most: number, work: (argument: A) => Promise<R>): (argument: A) => Promise<R> {
  let running = 0;
  return async (argument) => {
    if (running >= most) throw new SignInError('unavailable', 'too many sign-ins at this moment; try again');
    running += 1;
    try {
      return await work(argument);
    } finally {
      running -= 1;
    }
  };
}
