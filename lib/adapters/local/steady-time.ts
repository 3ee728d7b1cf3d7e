import { uptime } from 'node:os';
import { DAY_MS } from '../../time/units.ts';

/** The sources of a steady time; all in milliseconds. */
export interface TimeSources {
  /** The clock of the system, since 1970. It may be set. */
  readonly wall: () => number;
  /** Since some moment; never set, and it stands still while the machine sleeps. */
  readonly monotonic: () => number;
  /** Since some moment; never set, and it runs while the machine sleeps. May be slow to read. */
  readonly boot: () => number;
  /** The time of the process before, continued to the start of this one; undefined if it is not known. */
  readonly expected?: number | undefined;
  /** A time that was reached before the machine was booted; undefined if none is known. */
  readonly earliest?: number | undefined;
  /** Reports that the clock of the system was set, and by how much: negative if it was set back. */
  readonly onSet?: (milliseconds: number) => void;
}

const SYSTEM: TimeSources = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  boot: () => uptime() * 1000,
  onSet: (milliseconds) => {
    const by = `${Math.round(Math.abs(milliseconds) / 1000)} s ${milliseconds < 0 ? 'back' : 'ahead'}`;
    console.error(`the clock of the system was set ${by}; Weft follows it slowly, so that no event and no run is lost`);
  },
};

/** A difference up to this is an ordinary correction, and is followed at once if it is forward. */
const MAX_CORRECTION_MS = 1000;
/** A clock that was set ahead may be set back soon: it is followed after this time. */
const PATIENCE_MS = 600_000;
/** A start whose clock is behind the process before by more takes the clock's time: the earlier time was wrong by days. */
const MAX_CONTINUED_MS = DAY_MS;
/** While the clock of the system is behind, the time passes slower by this part. */
const SLEWING = 0.1;

/** By how much the clock is ahead of the expected time at the start, negative if behind; 0 for an ordinary correction. */
function aheadAtStart(wall: number, { expected = wall, earliest = wall }: Partial<TimeSources>): number {
  const ahead = wall - expected;
  // Stored events, waits and ids have the time of the process before: an earlier time would put new ones before them.
  if (ahead > MAX_CORRECTION_MS || (ahead < 0 && ahead >= -MAX_CONTINUED_MS)) return ahead;
  // A machine without a clock that runs while it is off has an earlier time until it asks a time server.
  return Math.min(wall - earliest, 0);
}

/**
 * Returns a time, milliseconds since 1970, that follows the clock of the system and never runs backwards. A clock that
 * was set back is followed by a time that passes slower; one that was set ahead is followed after 10 minutes, so that an
 * error that is mended in the meantime has no effect, also if the process starts meanwhile and the time is `expected` to be
 * another one. Sleep of the machine counts as time that has passed.
 */
export function steadyTime(sources: Partial<TimeSources> = {}): () => number {
  const { wall, monotonic, boot, onSet } = { ...SYSTEM, ...sources };
  let [last, lastBoot] = [monotonic(), boot()];
  const ahead = aheadAtStart(wall(), sources);
  if (ahead > 0) onSet?.(ahead);
  let asleep = lastBoot - last;
  let offset = wall() - ahead - last;
  let [aheadSince, isBehind] = [ahead > 0 ? last : undefined, false];

  /** How far the clock is ahead, after the machine's sleep was added to the time. */
  const aheadAfterSleep = (ahead: number, now: number): number => {
    lastBoot = boot();
    const slept = lastBoot - now - asleep;
    if (slept < MAX_CORRECTION_MS) return ahead;
    asleep += slept;
    const counted = Math.min(slept, ahead);
    offset += counted;
    return ahead - counted;
  };

  const followForward = (ahead: number, now: number): void => {
    if (ahead <= MAX_CORRECTION_MS || (aheadSince !== undefined && now - aheadSince >= PATIENCE_MS)) {
      offset += ahead;
      aheadSince = undefined;
    } else if (aheadSince === undefined) {
      const rest = aheadAfterSleep(ahead, now);
      if (rest <= MAX_CORRECTION_MS) return;
      aheadSince = now;
      onSet?.(rest);
    }
  };

  return () => {
    const now = monotonic();
    const ahead = wall() - (now + offset);
    if (ahead >= 0) {
      isBehind = false;
      followForward(ahead, now);
    } else {
      aheadSince = undefined;
      if (ahead < -MAX_CORRECTION_MS && !isBehind) {
        isBehind = true;
        onSet?.(ahead);
      }
      offset -= Math.min(-ahead, (now - last) * SLEWING);
    }
    last = now;
    return Math.floor(now + offset);
  };
}
