import { SignInError } from '../../../ports/tokens.ts';

/** A token that is not accepted, as SignInError has it. */
export type Refusal = Pick<SignInError, 'problem' | 'message'>;

/** The result of work, or its refusal: a bundle of the verification has its own class SignInError. */
export async function settled<T>(work: Promise<T>): Promise<T | Refusal> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof SignInError) return error;
    throw error;
  }
}

/** The result of a call of the verification. Throws SignInError for a refusal. */
export function accepted<T extends object>(result: T | Refusal): T {
  if ('problem' in result) throw new SignInError(result.problem, result.message);
  return result;
}
