import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { parseJson } from '../../language/json-numbers.ts';

/** The time of the service at a moment, and the uptime of the machine at that moment; both in milliseconds. */
interface Anchor {
  /** The boot of the machine that the uptime belongs to. */
  readonly boot: string;
  readonly uptime: number;
  /** Since 1970. */
  readonly time: number;
}

/** The functions of the system that identify its boot. */
export interface BootSources {
  /** An id of the present boot; undefined where the system has none. */
  readonly bootId: () => string | undefined;
  /** Milliseconds since the boot. It is never set, and counts sleep. */
  readonly uptime: () => number;
}

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/** The content of a file; undefined if it cannot be read. */
function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}

const SYSTEM: BootSources = { bootId: () => textOf(BOOT_ID), uptime: () => uptime() * 1000 };

const FILE = 'clock';

/** The anchor in a folder; undefined if there is none that can be read. */
function readAnchor(folder: string): Anchor | undefined {
  try {
    return (parseJson(textOf(join(folder, FILE)) ?? 'null') ?? undefined) as Anchor | undefined;
  } catch {
    return undefined;
  }
}

/** The times that the anchor of a folder determines; both in milliseconds since 1970. */
export interface KnownTime {
  /**
   * The time that the last process would have by now: its clock may have been right where that of the system has been set
   * since. Undefined if there was none since the boot of the machine.
   */
  readonly expected?: number;
  /**
   * A time that the last process had before the machine was booted: stored data is newer by ten minutes at most.
   * Undefined if there was none, or one since the boot.
   */
  readonly earliest?: number;
}

/** Reads the time of the last process of a folder. */
export function anchoredTime(folder: string, { bootId, uptime }: BootSources = SYSTEM): KnownTime {
  const anchor = readAnchor(folder);
  const boot = bootId();
  if (anchor === undefined || boot === undefined) return {};
  const earliest = Number(anchor.time);
  if (anchor.boot !== boot) return Number.isFinite(earliest) ? { earliest } : {};
  const expected = earliest + uptime() - Number(anchor.uptime);
  return Number.isFinite(expected) ? { expected } : {};
}

const PERIOD_MS = 60_000;
/** The anchor is stored again when it differs by more than this from the time of the process. */
const MAX_DIFFERENCE_MS = 500;
/** It is also stored again when it is older than this: after a boot, its time is the newest that is known. */
const MAX_AGE_MS = 600_000;

/** Whether an anchor still determines the time of the process. */
function isCurrent(folder: string, now: number, sources: BootSources): boolean {
  const { expected } = anchoredTime(folder, sources);
  const age = now - Number(readAnchor(folder)?.time);
  return expected !== undefined && Math.abs(expected - now) <= MAX_DIFFERENCE_MS && age <= MAX_AGE_MS;
}

/** Keeps the time of this process in the folder for the next one. Returns a function that ends it. */
export function keepAnchor(folder: string, now: () => number, sources: BootSources = SYSTEM): () => void {
  let hasFailed = false;
  const store = (): void => {
    const boot = sources.bootId();
    if (boot === undefined || isCurrent(folder, now(), sources)) return;
    const anchor: Anchor = { boot, uptime: sources.uptime(), time: now() };
    try {
      const draft = join(folder, `${FILE}.new`);
      writeFileSync(draft, JSON.stringify(anchor), { mode: 0o600 });
      renameSync(draft, join(folder, FILE));
    } catch (error) {
      if (!hasFailed) console.error(`the time could not be stored in ${join(folder, FILE)}; it is tried again`, error);
      hasFailed = true;
    }
  };
  store();
  const timer = setInterval(store, PERIOD_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    store();
  };
}
