import type { Invocation, InvocationReply, Lambdas } from '../../lib/ports/callees/lambdas.ts';

/** How a function answers an invocation. */
export type Answer = (invocation: Invocation) => Promise<InvocationReply> | InvocationReply;

/** The result of a function. */
export const result = (value: unknown): InvocationReply => ({ payload: Buffer.from(JSON.stringify(value)) });

/** The payload of an invocation as a value. */
export const payloadOf = ({ payload }: Pick<Invocation, 'payload'>): unknown =>
  JSON.parse(Buffer.from(payload).toString('utf8'));

/** Functions of Lambda that answer as a test defines. They record the invocations. */
export class ProgrammedLambdas implements Lambdas {
  readonly invocations: Invocation[] = [];
  answer: Answer;

  constructor(answer: Answer = () => result(null)) {
    this.answer = answer;
  }

  async invoke(invocation: Invocation): Promise<InvocationReply> {
    this.invocations.push(invocation);
    return this.answer(invocation);
  }
}
