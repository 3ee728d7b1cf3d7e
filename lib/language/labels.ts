/** The labels of a run: names and values by which runs are found. */
export type Labels = Readonly<Record<string, string>>;

/** The most labels of a run. */
export const MAX_LABELS = 20;

/** The longest value of a label, characters. */
const MAX_VALUE_LENGTH = 200;

const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,62}$/;

/** Why a name cannot be that of a label; undefined if it can. */
export function labelNameProblem(name: string): string | undefined {
  if (NAME.test(name)) return undefined;
  return `'${name.slice(0, 80)}' is no name of a label: it has up to 63 letters, digits, dots, dashes and underscores, a letter first`;
}

/** Why a text cannot be the value of a label; undefined if it can. */
export function labelValueProblem(name: string, value: string): string | undefined {
  if (value !== '' && value.length <= MAX_VALUE_LENGTH) return undefined;
  return `the value of the label '${name}' has ${value.length} characters; it may have 1 to ${MAX_VALUE_LENGTH}`;
}
