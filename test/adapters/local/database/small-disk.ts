import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of a few megabytes in memory. */
export interface SmallDisk {
  readonly folder: string;
  /** Fills the disk until `left` bytes are free. */
  fill(left: number): void;
  /** Takes all space that is left, also after `fill`. */
  fillUp(): void;
  /** Frees the space that `fill` and `fillUp` used. */
  free(): void;
  /** Makes the disk read-only. */
  freeze(): void;
  /** Makes it writable again. */
  thaw(): void;
  remove(): void;
}

/** Mounts a small disk. Returns the reason as text if that is not possible: only the superuser may mount. */
export function mountSmallDisk(megabytes: number): SmallDisk | string {
  const folder = mkdtempSync(join(tmpdir(), 'weft-disk-'));
  const mount = (...args: string[]) => execFileSync('mount', args, { stdio: 'pipe' });
  try {
    mount('-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder);
  } catch (error) {
    rmSync(folder, { recursive: true });
    return `no small disk can be mounted here: ${(error as Error).message.split('\n')[0]}`;
  }
  const filler = join(folder, 'filler');
  return {
    folder,
    fill(left) {
      const { bavail, bsize } = statfsSync(folder);
      writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - left)));
    },
    fillUp() {
      const { bavail, bsize } = statfsSync(folder);
      if (bavail > 0) appendFileSync(filler, Buffer.alloc(bavail * bsize));
    },
    free: () => rmSync(filler),
    freeze: () => void mount('-o', 'remount,ro', folder),
    thaw: () => void mount('-o', 'remount,rw', folder),
    remove() {
      execFileSync('umount', [folder]);
      rmSync(folder, { recursive: true });
    },
  };
}
