import { ServiceError } from '../errors.ts';

/** The settings of a mirror, a directory that follows a git repository, as a request contains them. */
export interface MirrorSettings {
  readonly url: string;
}

/** Throws `invalid` for a request for a mirror: there are none, and a plain directory would stay empty. */
export function needNone({ url }: MirrorSettings): void {
  if (url === '') return;
  throw new ServiceError('invalid', 'git mirrors are not supported: follow the repository with `weft sync`');
}

/** Throws the `refused` error of an operation on a mirror: no node is one (rest-api reference, A.9). */
export function refuse(): never {
  throw new ServiceError('refused', 'not a git mirror');
}
