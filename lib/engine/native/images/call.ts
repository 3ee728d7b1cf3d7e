import { isObject } from '../../../language/json.ts';
import { ownMember } from '../../../language/own-members.ts';
import { MailRefusedError, UnreachableError } from '../../../ports/callees/web.ts';
import { StateError } from '../../evaluation/failures.ts';
import { mask } from '../../http/masks.ts';
import type { NativeContext, NativeFunction, Outcome } from '../../http/outcome.ts';

/** The error code of the images that Direktiv's generator of functions makes. */
export const COMMAND_ERROR = 'io.direktiv.command.error';
/** The error code of a container that rejects its input, as `lib/containers/session/answers.ts` has it. */
const REJECTED = 'container failed';

/** The stored input of a call: the evaluated input, and the values of secrets, which no message shows. */
export interface ImageInput {
  readonly input: unknown;
  readonly secrets: readonly string[];
}

/** The input of an image as an object. */
export type Fields = Readonly<Record<string, unknown>>;

/** A call of an image. */
export interface ImageCall {
  readonly context: NativeContext;
  readonly fields: Fields;
  readonly secrets: readonly string[];
  /** Notes the request that the call sends, for the record of the run. */
  readonly note: (sent: Outcome['sent'] & object) => void;
}

/** The image fails with this code. */
export class ImageError extends Error {
  override readonly name = 'ImageError';
  readonly code: string;
  /** How long a retry waits at least, milliseconds. */
  readonly retryAfter: number | undefined;
  constructor(code: string, message: string, retryAfter?: number) {
    super(message);
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** The failure of an input that the image does not accept. */
export const rejected = (message: string): ImageError => new ImageError(REJECTED, message);

/** The text of a field; the default value if it is absent. Throws ImageError for another type. */
export function textOf(fields: Fields, name: string, otherwise?: string): string {
  const value = ownMember(fields, name) ?? otherwise;
  if (typeof value === 'string') return value;
  throw rejected(value === undefined ? `'${name}' in the input is required` : `'${name}' in the input must be a text`);
}

/** Throws ImageError for a field that the image does not know: some images refuse it, which finds a mistyped name. */
export function needKnown(fields: Fields, names: readonly string[], failureCode: string): void {
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new ImageError(failureCode, `'${unknown}' in the input is unknown; the image has ${names.join(', ')}`);
}

/** The members of a field that is an object; none if it is absent. Throws ImageError for another type. */
export function membersOf(fields: Fields, name: string): readonly (readonly [string, unknown])[] {
  const value = ownMember(fields, name);
  if (value === undefined || value === null) return [];
  if (isObject(value)) return Object.entries(value);
  throw rejected(`'${name}' in the input must be an object`);
}

/**
 * A native function for an image. `failureCode`: the code for a fault of the network and for a request that cannot be
 * sent. `run` returns the result of the image, or throws ImageError.
 */
export function imageFunction(failureCode: string, run: (call: ImageCall) => Promise<unknown>): NativeFunction {
  return async (context, stored): Promise<Outcome> => {
    const { input, secrets } = stored as ImageInput;
    let sent: Pick<Outcome, 'sent'> = {};
    const note: ImageCall['note'] = (made) => {
      sent = { sent: { ...made, to: mask(made.to, secrets) } };
    };
    try {
      if (!isObject(input)) throw rejected('the input must be an object');
      return { value: await run({ context, fields: input, secrets, note }), ...sent };
    } catch (error) {
      const { code, message, retryAfter } = toImageError(error, failureCode);
      return {
        failure: { code, message: mask(message, secrets), ...(retryAfter === undefined ? {} : { retryAfter }) },
        ...sent,
      };
    }
  };
}

function toImageError(error: unknown, failureCode: string): ImageError {
  if (error instanceof ImageError) return error;
  const isFailure = [UnreachableError, MailRefusedError, StateError].some((kind) => error instanceof kind);
  if (isFailure) return new ImageError(failureCode, (error as Error).message);
  throw error;
}
