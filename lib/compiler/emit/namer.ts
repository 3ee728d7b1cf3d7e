/** The longest name of a state in Step Functions, in characters. */
const MAX_CHARACTERS = 80;

const CONTROL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Assigns unique names to the states of a machine. */
export class Namer {
  private readonly used = new Set<string>();
  /** The number to try next, by the name without it: thousands of long names may have the same beginning. */
  private readonly numbers = new Map<string, number>();

  /** Returns the wanted name, shortened and with a number behind it where that is needed to be valid and unique. */
  assign(wanted: string): string {
    const valid = truncate(wanted.replace(CONTROL, '·'), MAX_CHARACTERS);
    let name = valid;
    let number = this.numbers.get(valid) ?? 2;
    for (; this.used.has(name); number += 1) {
      const suffix = ` (${number})`;
      name = truncate(valid, MAX_CHARACTERS - suffix.length) + suffix;
    }
    this.numbers.set(valid, number);
    this.used.add(name);
    return name;
  }
}

function truncate(text: string, length: number): string {
  const characters = [...text];
  return text.length <= length
    ? text
    : `${characters
        .slice(0, Math.floor(length / 2) * 2 - 1)
        .join('')
        .slice(0, length - 1)}…`;
}
