import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { apiOf } from './api.ts';
import { auditOf } from './audit.ts';
import { acknowledgedIn, type Ledger, newLedger } from './ledger.ts';
import { prepare, sendLoad } from './load.ts';
import { copyAfterPowerCut, type PowerCut } from './power-cut.ts';
import { type Running, startProcess } from './process.ts';
import { type Random, randomFrom } from './random.ts';
import { DAMAGE_KINDS, type Damage, noDamage, verify } from './verification.ts';

export interface Rounds {
  readonly rounds: number;
  readonly seed: number;
  /** The setting WEFT_SYNC of the service. */
  readonly sync?: 'full' | 'normal';
  /** Is called after each round. */
  readonly onRound?: (round: number, figures: Figures) => void;
}

/** The sums over all rounds. */
export interface Figures extends Damage {
  /** Writes that were acknowledged before a crash and read after it. */
  acknowledged: number;
  /** Kills of the process: after a load, and while it recovered from the kill before. */
  kills: number;
  recoveryKills: number;
  powerCuts: number;
  /** Frames of the log that were not flushed at a power cut, and pages that it left half written. */
  unflushed: number;
  torn: number;
}

const CLIENTS = 6;
/** The load runs for this long before the kill, ms. */
const [SHORTEST_MS, LONGEST_MS] = [20, 600];
/** A part of the processes is killed while it recovers, after this long, ms. */
const RECOVERY_KILLS = 0.15;
const LONGEST_RECOVERY_MS = 1500;
/** A new folder is used after this number of rounds. */
const ROUNDS_OF_FOLDER = 25;

/** The folders of a data folder's rounds. */
interface Place {
  readonly data: string;
  readonly image: string;
  readonly record: string;
  readonly imageRecord: string;
  /** What the services print as errors. */
  readonly log: string;
  readonly sync: 'full' | 'normal';
}

function placeIn(folder: string, sync: Place['sync']): Place {
  const at = (name: string) => join(folder, name);
  const files = { record: at('record'), imageRecord: at('image-record'), log: at('log') };
  return { data: at('data'), image: at('image'), ...files, sync };
}

const startOn = ({ data, record, sync, log }: Place) => startProcess({ data, record, sync, log });

/** The lines in which a service says that it lacks commits: neither a kill nor a power cut loses one. */
function reportedLosses({ log }: Place): string[] {
  const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n') : [];
  return lines.filter((line) => line.includes('has lost data') || line.includes('is damaged'));
}

/** Kills the service at a random moment of its load. */
async function crashUnderLoad(running: Running, ledger: Ledger, random: Random): Promise<void> {
  const api = apiOf(running, ledger.namespace);
  await prepare(api);
  const loaded = sendLoad(api, ledger, random);
  await Promise.race([loaded, setTimeout(random.between(SHORTEST_MS, LONGEST_MS))]);
  await running.kill();
  await loaded;
}

/** Reads a copy as a power cut left it: its rows first, then through the service. */
async function verifyPowerCut(
  place: Place,
  ledger: Ledger,
  random: Random,
): Promise<{ cut: PowerCut; damage: Damage }> {
  rmSync(place.image, { recursive: true, force: true });
  const cut = copyAfterPowerCut(place.data, place.image, place.record, random);
  const broken = auditOf(place.image);
  const { ready, kill } = startProcess({ ...place, data: place.image, record: place.imageRecord });
  try {
    const damage = await verify(apiOf(await ready, ledger.namespace), ledger);
    return { cut, damage: { ...damage, partial: [...broken, ...damage.partial] } };
  } finally {
    await kill();
  }
}

/** Starts the service on the killed folder; kills it now and then while it recovers. */
async function restart(place: Place, figures: Figures, random: Random): Promise<Running> {
  while (random.fraction() < RECOVERY_KILLS) {
    const { ready, kill } = startOn(place);
    ready.catch(() => undefined);
    await setTimeout(random.between(0, LONGEST_RECOVERY_MS));
    await kill();
    figures.recoveryKills += 1;
  }
  return startOn(place).ready;
}

function addTo(figures: Figures, where: string, damage: Damage): void {
  for (const kind of DAMAGE_KINDS) figures[kind].push(...damage[kind].map((what) => `${where}: ${what}`));
}

/** Rounds in one data folder: load, kill, power cut of a copy, start again. */
class FolderRounds {
  readonly #place: Place;
  readonly #figures: Figures;
  readonly #random: Random;
  #running: Running | undefined;

  constructor(place: Place, figures: Figures, random: Random) {
    this.#place = place;
    this.#figures = figures;
    this.#random = random;
  }

  async round(number: number): Promise<void> {
    const figures = this.#figures;
    const running = this.#running ?? (await startOn(this.#place).ready);
    const ledger = newLedger(`round-${number}`, CLIENTS);
    await crashUnderLoad(running, ledger, this.#random);
    this.#running = undefined;
    figures.kills += 1;
    figures.acknowledged += acknowledgedIn(ledger);
    const { cut, damage } = await verifyPowerCut(this.#place, ledger, this.#random);
    figures.powerCuts += 1;
    figures.unflushed += cut.unflushed;
    figures.torn += cut.torn;
    addTo(figures, `round ${number}, power cut`, damage);
    addTo(figures, `round ${number}, rows after kill -9`, { ...noDamage(), partial: auditOf(this.#place.data) });
    this.#running = await restart(this.#place, figures, this.#random);
    const api = apiOf(this.#running, ledger.namespace);
    addTo(figures, `round ${number}, kill -9`, await verify(api, ledger));
    addTo(figures, `round ${number}`, { ...noDamage(), lost: reportedLosses(this.#place) });
  }

  async end(): Promise<void> {
    await this.#running?.kill();
  }
}

/** Runs the rounds and returns their figures. Throws when the service does not start or replies with an error. */
export async function runRounds({ rounds, seed, sync = 'full', onRound }: Rounds): Promise<Figures> {
  const random = randomFrom(seed);
  const figures: Figures = {
    ...{ acknowledged: 0, kills: 0, recoveryKills: 0, powerCuts: 0, unflushed: 0, torn: 0 },
    ...noDamage(),
  };
  for (let first = 1; first <= rounds; first += ROUNDS_OF_FOLDER) {
    const folder = mkdtempSync(join(tmpdir(), 'weft-durability-'));
    const inFolder = new FolderRounds(placeIn(folder, sync), figures, random);
    try {
      for (let round = first; round < first + ROUNDS_OF_FOLDER && round <= rounds; round += 1) {
        await inFolder.round(round);
        onRound?.(round, figures);
      }
    } finally {
      await inFolder.end();
    }
    // A folder with damage stays for its examination.
    if (DAMAGE_KINDS.every((kind) => figures[kind].length === 0)) rmSync(folder, { recursive: true });
    else console.error(`the data folder is kept in ${folder}`);
  }
  return figures;
}
