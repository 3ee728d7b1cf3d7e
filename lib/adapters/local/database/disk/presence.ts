import { closeSync, fstatSync, openSync } from 'node:fs';

/** Notices that files which this process has open were removed: what it writes to them then is lost when it ends. */
export interface Presence {
  /** Throws Error, with what its user does, when one of the files has no name in any folder any more. */
  check(): void;
  close(): void;
}

/** Watches files that exist. */
export function watchPresence(files: readonly string[]): Presence {
  const opened = files.map((file) => ({ file, descriptor: openSync(file, 'r') }));
  return {
    check() {
      const removed = opened.find(({ descriptor }) => fstatSync(descriptor).nlink === 0);
      if (removed === undefined) return;
      const { file } = removed;
      throw new Error(
        `${file} was removed while it was in use. Put its folder back from a backup, then start Weft again`,
      );
    },
    close() {
      for (const { descriptor } of opened) closeSync(descriptor);
    },
  };
}
