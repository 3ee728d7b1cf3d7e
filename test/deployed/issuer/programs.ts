/** A program that signs in at the issuer of the tests, with the groups in its tokens. */
export interface Program {
  readonly id: string;
  readonly secret: string;
  readonly groups: readonly string[];
}

/** The audience of the tokens. */
export const AUDIENCE = 'weft';

export const PROGRAMS = [
  { id: 'shop-reader', secret: 'of the reader', groups: ['shop'] },
  { id: 'stranger', secret: 'of the stranger', groups: ['elsewhere'] },
] as const satisfies readonly Program[];
