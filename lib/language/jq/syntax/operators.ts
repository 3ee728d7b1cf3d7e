import type { BinaryOperator, UpdateOperator } from './ast.ts';

/** An operator between two operands. */
export type Operator = BinaryOperator | UpdateOperator;

/** How closely an operator binds: a higher level binds more closely. */
export interface BindingPower {
  readonly level: number;
  /** `a op b op c` is `a op (b op c)`. */
  readonly isRight: boolean;
  /** `a op b op c` is an error. */
  readonly isAlone: boolean;
}

const LEVELS: readonly { readonly operators: readonly Operator[]; readonly side: 'left' | 'right' | 'none' }[] = [
  { operators: ['//'], side: 'right' },
  { operators: ['=', '|=', '+=', '-=', '*=', '/=', '%=', '//='], side: 'none' },
  { operators: ['or'], side: 'left' },
  { operators: ['and'], side: 'left' },
  { operators: ['==', '!=', '<', '<=', '>', '>='], side: 'none' },
  { operators: ['+', '-'], side: 'left' },
  { operators: ['*', '/', '%'], side: 'left' },
];

/** The level of `+` and `-`. */
export const SUM_LEVEL = LEVELS.findIndex(({ operators }) => operators.includes('+'));

const POWERS: ReadonlyMap<string, BindingPower> = new Map(
  LEVELS.flatMap(({ operators, side }, level) =>
    operators.map((name) => [name, { level, isRight: side === 'right', isAlone: side === 'none' }] as const),
  ),
);

/** Returns how closely an operator binds; undefined for a text that is none. */
export const bindingPower = (operator: string): BindingPower | undefined => POWERS.get(operator);

/** True for an operator that changes the input at a path. */
export const isUpdate = (operator: Operator): operator is UpdateOperator =>
  operator.endsWith('=') && !['==', '!=', '<=', '>='].includes(operator);
