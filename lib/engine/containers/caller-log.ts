import { append, type Said } from '../../domain/runs/log-lines.ts';
import type { Level } from '../../domain/runs/runs.ts';
import type { ServiceCall } from '../../domain/runs/waits.ts';
import type { EnginePorts } from '../ports.ts';
import { heard } from '../run/endings.ts';
import { cut } from '../run/log-texts.ts';

/** Lines are written together, at most so often: each writing is a commit of the caller. */
const PAUSE_MS = 1_000;
/** A caller that goes on is disturbed by it: its step looks again. */
const LONG_PAUSE_MS = 10_000;
/** So many characters may wait. */
const MOST_WAITING = 256 * 1024;

/** What a container says while it runs, on its way into the log of the instance that called it. */
export class CallerLog {
  private readonly ports: EnginePorts;
  private readonly call: ServiceCall;
  private said: Said[] = [];
  private size = 0;
  private pause: number;
  private last = Number.NEGATIVE_INFINITY;
  private timer: NodeJS.Timeout | undefined;
  private isStored = true;
  private writing: Promise<unknown> = Promise.resolve();

  constructor(ports: EnginePorts, call: ServiceCall, isAwaited: boolean) {
    this.ports = ports;
    this.call = call;
    this.pause = isAwaited ? PAUSE_MS : LONG_PAUSE_MS;
  }

  /** Resolves when there is room for more, or nowhere to write it yet. */
  async add(text: string, level: Level = 'info'): Promise<void> {
    const line = cut(text);
    this.said.push({ at: this.ports.clock.now(), level, text: line, state: this.call.state });
    this.size += line.length;
    // Whom nobody has stored yet is looked for from time to time, not for each line.
    if (this.size > MOST_WAITING && this.isStored) await this.write();
    else this.writeLater();
  }

  /** Resolves when all is written. A caller that happens within a request may be stored only when it is over. */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    if (await this.writeAll()) return;
    await heard(this.call.caller, LONG_PAUSE_MS);
    await this.writeAll();
  }

  private async writeAll(): Promise<boolean> {
    while (this.said.length > 0) if (!(await this.write())) return false;
    return true;
  }

  private writeLater(): void {
    if (this.timer !== undefined) return;
    const wait = Math.min(Math.max(this.last + this.pause - this.ports.clock.now(), 0), this.pause);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      // What was not written stays; the end of the call writes it.
      this.write().catch(() => undefined);
    }, wait);
    this.timer.unref();
  }

  /** False: the caller is not stored, and what was said stays. */
  private write(): Promise<boolean> {
    const written = this.writing.catch(() => undefined).then(() => this.writeNow());
    this.writing = written;
    return written;
  }

  private async writeNow(): Promise<boolean> {
    // More may be said while these are written.
    const said = [...this.said];
    if (said.length === 0) return true;
    this.last = this.ports.clock.now();
    const step = await append(this.ports, this.call.caller, said);
    this.isStored = step !== undefined;
    if (step === undefined) return false;
    this.said = this.said.slice(said.length);
    this.size = this.said.reduce((sum, { text }) => sum + text.length, 0);
    if (step !== this.call.step) this.pause = LONG_PAUSE_MS;
    return true;
  }
}
