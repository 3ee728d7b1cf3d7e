/** A state's name in a machine has at most this many characters (Step Functions' limit). */
const LONGEST = 80;

const CONTROL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Gives out the names of a machine's states: as wanted where that can be, and each one once. */
export class Namer {
  private readonly taken = new Set<string>();

  take(wanted: string): string {
    const clean = cut(wanted.replace(CONTROL, '·'), LONGEST);
    let name = clean;
    for (let number = 2; this.taken.has(name); number += 1) {
      const suffix = ` (${number})`;
      name = cut(clean, LONGEST - suffix.length) + suffix;
    }
    this.taken.add(name);
    return name;
  }
}

function cut(text: string, most: number): string {
  const characters = [...text];
  return text.length <= most
    ? text
    : `${characters
        .slice(0, Math.floor(most / 2) * 2 - 1)
        .join('')
        .slice(0, most - 1)}…`;
}
