/** A log line is cut here, in characters: the lines of a segment are one text when they are written. */
const LONGEST_LINE = 256 * 1024;

/** A line as the log takes it. */
export const cut = (text: string): string => (text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text);
