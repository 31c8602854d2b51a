import { describe, expect, test } from 'bun:test'
import type { ChildProcess } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { Duplex } from 'node:stream'
import { Lines, serveJsonLines, TOO_LONG } from '../../src/process/json-lines.ts'

const text = (lines: readonly Buffer[] | undefined) => lines?.map(String)

describe('lines of a stream', () => {
  test('arrive whole, however the stream is cut', () => {
    const stream = Buffer.from('one\n\nthree-three\nfour')
    for (let size = 1; size <= stream.length; size++) {
      const lines = new Lines(100)
      const complete: string[] = []
      for (let at = 0; at < stream.length; at += size)
        complete.push(...(text(lines.take(stream.subarray(at, at + size))) ?? ['too long']))
      expect(complete).toEqual(['one', '', 'three-three'])
    }
  })

  test('may have the longest length, and no byte more', () => {
    const lines = new Lines(4)
    expect(text(lines.take(Buffer.from('ab')))).toEqual([])
    expect(text(lines.take(Buffer.from('cd\nabcd\n')))).toEqual(['abcd', 'abcd'])
    expect(lines.take(Buffer.from('abcde'))).toBeUndefined()
    expect(new Lines(4).take(Buffer.from('abcde\n'))).toBeUndefined()
  })

  test('a line that never ends is refused at its limit, whatever the size of its pieces', () => {
    const lines = new Lines(100_000)
    let bytes = 0
    while (lines.take(Buffer.from('x'))) bytes++
    expect(bytes).toBe(100_000)
  })
})

class Pipe extends Duplex {
  readonly written: string[] = []
  override _read(): void {}
  override _write(chunk: Buffer, _: string, done: () => void): void {
    this.written.push(chunk.toString())
    done()
  }
}

function serve(mostBytes: number) {
  const pipe = new Pipe()
  const child = Object.assign(new EventEmitter(), { stdio: [null, null, null, pipe] })
  serveJsonLines(child as unknown as ChildProcess, mostBytes)
  const messages: unknown[] = []
  child.on('message', (message) => messages.push(message))
  return { pipe, child: child as unknown as ChildProcess, messages }
}

describe('a child on a pipe of JSON lines', () => {
  test('sends and receives messages like a fork', async () => {
    const { pipe, child, messages } = serve(1000)
    pipe.push('{"n":1}\n[2]\n')
    await once(child, 'message')
    expect(messages).toEqual([{ n: 1 }, [2]])
    await new Promise((done) => child.send?.({ hello: 'line\nbreak' }, done))
    expect(pipe.written).toEqual(['{"hello":"line\\nbreak"}\n'])
  })

  test('whose line is not JSON sends a message that no protocol knows', async () => {
    const { pipe, child, messages } = serve(1000)
    pipe.push('{"n":1\n{"n":2}\n')
    await once(child, 'message')
    expect(messages).toEqual([undefined, { n: 2 }])
  })

  test('that sends a message without an end is cut off at the limit', async () => {
    const { pipe, child, messages } = serve(1000)
    const gone = once(child, 'disconnect')
    pipe.push('x'.repeat(1001))
    await gone
    expect(messages).toEqual([TOO_LONG])
    expect(pipe.destroyed).toBe(true)
  })

  test('that has closed its pipe gets no further message, and its sender learns of it', async () => {
    const { pipe, child } = serve(1000)
    pipe.destroy()
    await once(child, 'disconnect')
    expect(await new Promise((done) => child.send?.({}, done))).toBeInstanceOf(Error)
  })
})
