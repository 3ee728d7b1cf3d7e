import { ServiceError } from './errors.ts';

/** The settings of a directory that follows a git repository, as a request gives them. */
export interface MirrorSettings {
  readonly url: string;
}

/** Throws `not-built` when a request asks for a mirror: it would otherwise get a plain directory that never fills. */
export function needNone({ url }: MirrorSettings): void {
  if (url !== '') throw new ServiceError('not-built', 'mirrors of git repositories are not served yet');
}
