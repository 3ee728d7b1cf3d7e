import { ServiceError } from '../errors.ts';

/** The settings of a directory that follows a git repository, as a request gives them. */
export interface MirrorSettings {
  readonly url: string;
}

/** Throws `invalid` when a request asks for a mirror: it would otherwise get a plain directory that never fills. */
export function needNone({ url }: MirrorSettings): void {
  if (url === '') return;
  throw new ServiceError('invalid', 'no git repository is followed from here: push a clone of it with `weft push`');
}

/** What is asked of a node that is no mirror is refused, in the words that clients know (rest-api reference, A.9). */
export function refuse(): never {
  throw new ServiceError('refused', 'not a git mirror');
}
