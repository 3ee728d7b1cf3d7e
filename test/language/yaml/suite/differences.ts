/** Cases in which Weft differs, by their ids, and why. */
export interface Difference {
  readonly ids: string;
  readonly reason: string;
}

/** Every case in which Weft differs from the official suite. */
export const FROM_SUITE: readonly Difference[] = [
  {
    ids: '2JQS 4FJ6 6BFJ 6M2F 6PBE 9MMW CFD4 DFF7 FH7J FRK4 KK5P LX3P M2N8/0 M2N8/1 M5DY NHX8 NKF9 PW8X Q9WF RZP5 S3PD SBG9 SM9W/1 UKK6/0 V9D5 X38W XW4D',
    reason: 'A key that is no text is rejected, as in the original: a workflow is JSON.',
  },
  { ids: '3HFZ QLJ7', reason: 'What follows the first document is not read, as in the original.' },
  {
    ids: 'DK95/1 VJP3/0 Y79Y/3',
    reason: 'Lines within brackets and quotes need no indentation, as in the original, on which workflows rely.',
  },
  { ids: '565N UGM3', reason: '`!!binary` and dates have the meaning of YAML 1.1, as in the original.' },
  { ids: 'P76L', reason: '`%TAG` does not change what `!!` means.' },
];

/** Every case of the suite in which Weft differs from yaml.v3. */
export const FROM_ORIGINAL: readonly Difference[] = [
  {
    ids: '4H7K 9C9N 9HCY 9JBA BS4K CVW2 EB22 G5U8 HRE5 KS4U MUS6/0 QB6E RHX7 S98Z SU5Z U99R X4QW YJV2',
    reason: 'yaml.v3 accepts what YAML 1.2 forbids, and mostly ignores the rest of the text; Weft reports the mistake.',
  },
  { ids: 'P76L', reason: '`%TAG` does not change what `!!` means.' },
  {
    ids: '27NA 2LFX 6LVF BEC7 DK95/7 HWV9 MUS6/5 MUS6/6 QT73 RTP8 W4TN',
    reason: 'yaml.v3 rejects directives of YAML 1.2, unknown directives and texts without a document.',
  },
  {
    ids: '6BCT 6CA3 96NN/0 96NN/1 A2M4 DK95/0 DK95/3 DK95/4 Q5MG R4YG Y79Y/1 Y79Y/10',
    reason: 'yaml.v3 rejects tabs that YAML 1.2 allows.',
  },
  {
    ids: '2SXE 3UYS 4MUZ/0 4MUZ/1 4MUZ/2 58MP 5MUD 5T43 8XYN 9SA2 DBG4 HM87/0 JR7V K3WX NJ66 UT92 VJP3/0 VJP3/1 W5VH WZ62',
    reason:
      'yaml.v3 rejects forms of YAML 1.2: keys over two lines, anchors with any letter, `\\/`, `:` in a plain text.',
  },
  {
    ids: '4ABK 652Z HM87/1 Y2GN',
    reason: 'yaml.v3 takes `?` and `:` for indicators where YAML 1.2 has them in a text.',
  },
  {
    ids: 'DK3J FP8R JEF9/2 L24T/1',
    reason: 'yaml.v3 loses lines of block scalars: those without indentation, the last blanks.',
  },
  { ids: 'S4JQ UKK6/2', reason: 'The tag `!` makes a text, as YAML 1.2 says; yaml.v3 ignores it.' },
];

/** Our own texts in which Weft differs from yaml.v3. */
export const OWN_FROM_ORIGINAL: readonly Difference[] = [
  { ids: 'a: [\n\t1,\n\t2\n\t]', reason: 'yaml.v3 rejects tabs that YAML 1.2 allows.' },
  { ids: '- \t1', reason: 'The same.' },
];
