import { describe, expect, test } from 'vitest';
import { dataFrame, errorFrame, faultFrame, GONE, HEARTBEAT, STREAM_HEADERS } from '../../../lib/api/streams/frames.ts';
import { notFound, ServiceError } from '../../../lib/domain/errors.ts';

describe('the events of a stream', () => {
  test('are one line of JSON after an id, and end with an empty line', () => {
    const json = JSON.stringify({ text: 'two\nlines\r\nand  more' });
    expect(dataFrame(json, 'x-1')).toBe('id: x-1\ndata: {"text":"two\\nlines\\r\\nand  more"}\n\n');
  });

  test('are empty as heartbeats', () => {
    expect(HEARTBEAT).toBe('data: \n\n');
  });

  test('have the gRPC status code of an error', () => {
    expect(errorFrame(notFound('namespace'))).toBe(
      'event: error\ndata: {"Code":5,"Message":"namespace not found"}\n\n',
    );
    const codes = (['exists', 'invalid', 'refused', 'unauthorized', 'forbidden'] as const).map((code) => {
      const [, json = ''] = errorFrame(new ServiceError(code, 'x')).split('data: ');
      return JSON.parse(json).Code as number;
    });
    expect(codes).toEqual([6, 3, 2, 16, 7]);
  });

  test('contain only the given message for a fault of the service', () => {
    expect(faultFrame('look under 7')).toBe('event: error\ndata: {"Code":2,"Message":"look under 7"}\n\n');
  });

  test('have a code of their own for a deleted object', () => {
    expect(GONE).toBe('event: error\ndata: {"Code":50,"Message":"EOF"}\n\n');
  });

  test('have headers that prevent caching and buffering, and allow pages of any origin', () => {
    expect(STREAM_HEADERS).toEqual({
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache',
      Connection: 'keep-alive',
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Headers': 'Content-Type',
      'X-Accel-Buffering': 'no',
    });
  });
});
