/** Validation of the messages from a process of plugins to the service; rigs/fuzz/wire.ts mutates them. */
import { describe, expect, test } from 'bun:test'
import { parseMessage } from '../../src/worker/process/from-child.ts'
import { MOST_CAPTURE_CHARS } from '../../src/worker/process/protocol.ts'

const END = {
  type: 'completed',
  run: 1,
  text: '',
  count: 0,
  hasFolder: false,
  fill: null,
  end: { status: 'stopped' },
}

describe('a message of a process', () => {
  test.each([
    { type: 'alive' },
    { type: 'items', run: 1, text: '{}', count: 1 },
    { type: 'progress', run: 1, done: 0, total: null, message: null },
    { type: 'log', run: 1, message: 'x', fields: { a: { b: [1] } } },
    { type: 'page', run: 1, id: 1, page: 1, call: { method: 'listen', listener: 1, source: 'x', flags: '' } },
    { type: 'capture', run: 1, text: '{}' },
    { type: 'usage', run: 1, requests: 1, bytes: 2 },
    { ...END, usage: { requests: 1, bytes: 2 } },
    END,
  ] as readonly object[])('is accepted: %j', (message) => {
    expect(parseMessage(message)).toEqual(message as never)
  })

  test.each(
    [
      null,
      undefined,
      7,
      'alive',
      [],
      {},
      { type: 'toString' },
      { type: ['alive'] },
      { type: 'items', run: 1, text: null, count: 1 },
      { type: 'items', run: 1, text: '', count: -1 },
      { type: 'progress', run: 1, done: '3', total: null, message: null },
      { type: 'page', run: 1, id: 1, page: 1, call: null },
      { type: 'capture', run: 1, text: { task: 'x' } },
      { type: 'usage', run: 1, requests: -1, bytes: 2 },
      { ...END, usage: { requests: 1.5, bytes: 2 } },
      { ...END, cookies: { length: 1 } },
      { ...END, cookies: [null] },
      { ...END, end: undefined },
      { ...END, run: undefined },
      { ...END, run: -1 },
      { ...END, run: '1' },
      { ...END, end: { status: 'failed', code: 'toString', detail: '' } },
    ].map((message) => [message]),
  )('is rejected without an exception: %j', (message) => {
    expect(parseMessage(message)).toBeUndefined()
  })

  test('is rejected when a capture is too long', () => {
    const ofLength = (length: number) => parseMessage({ type: 'capture', run: 1, text: ' '.repeat(length) })
    expect(ofLength(MOST_CAPTURE_CHARS)).toBeDefined()
    expect(ofLength(MOST_CAPTURE_CHARS + 1)).toBeUndefined()
  })
})
