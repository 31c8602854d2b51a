/** Actions repeat, each at its own interval, until the service stops. */

import { afterEach, expect, test } from 'bun:test'
import pino from 'pino'
import { inBatches } from '../../src/async/batches.ts'
import { type Repeated, Repeater } from '../../src/async/repeat.ts'

const lines: string[] = []
const logger = pino({}, { write: (line: string) => void lines.push(line) })
let repeater: Repeater
afterEach(() => repeater?.stop())

const every = (everyMs: number, act: Repeated['act']): Repeated => ({ everyMs, act, failure: 'It failed.' })

test('a long action does not delay another one, and ends early when the service stops', async () => {
  const { promise: third, resolve } = Promise.withResolvers<void>()
  let begun = 0
  let ended = 0
  const endless = every(1, async (signal) => {
    await new Promise((end) => signal.addEventListener('abort', end))
    ended++
  })
  const short = every(1, async () => {
    begun++
    if (begun === 3) resolve()
  })
  repeater = new Repeater([endless, short], logger)
  repeater.start()
  await third
  expect(ended).toBe(0)
  await repeater.stop()
  expect(ended).toBe(1)
})

test('a failing action is logged, and the others continue', async () => {
  const { promise: second, resolve } = Promise.withResolvers<void>()
  let tries = 0
  let begun = 0
  const failing = every(3_600_000, async () => {
    tries++
    throw new Error('away')
  })
  const other = every(1, async () => {
    begun++
    if (begun === 2) resolve()
  })
  repeater = new Repeater([failing, other], logger)
  repeater.start()
  await second
  await repeater.stop()
  // It is retried in a minute.
  expect(tries).toBe(1)
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: 'It failed.', err: { message: 'away' } },
  ])
})

test('inBatches keeps the order of results, runs 16 at once, and starts no batch after an abort or a failure', async () => {
  const things = Array.from({ length: 40 }, (_, i) => i)
  let running = 0
  let most = 0
  const act = async (thing: number) => {
    most = Math.max(most, ++running)
    await Promise.resolve()
    running--
    return thing * 2
  }
  expect(await inBatches(things, act)).toEqual(things.map((thing) => thing * 2))
  expect(most).toBe(16)
  const controller = new AbortController()
  const until20 = async (thing: number) => {
    if (thing === 20) controller.abort()
    return thing
  }
  expect(await inBatches(things, until20, controller.signal)).toEqual(things.slice(0, 32))
  const begun: number[] = []
  const failing = async (thing: number) => {
    begun.push(thing)
    if (thing === 3) throw new Error('three')
  }
  expect(await inBatches(things, failing).catch((error) => error)).toEqual(new Error('three'))
  expect(begun).toEqual(things.slice(0, 16))
})
