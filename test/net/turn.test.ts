/** A turn of a request of the service itself: how long it waits for, and for which pauses of the host it does not. */
import { expect, test } from 'bun:test'
import { RateLimiter } from '../../src/net/rate-limiter.ts'
import { turn } from '../../src/net/turn.ts'

const SOURCE = { name: 'lamps', pace: { perSecond: 0.01, concurrent: 1 } }
const OPTIONS = { source: SOURCE, account: '', longestPauseMs: 60_000 }

test('a pause is judged by its own length, however long the turn has been waited for', async () => {
  let now = 0
  const limiter = new RateLimiter(() => now)
  const next = () => turn(limiter, OPTIONS, 'a.example', new AbortController().signal)
  /** A request that comes and goes looks again, as the timer does. */
  const pass = (ms: number) => {
    now += ms
    limiter.ask(SOURCE, 'a.example', 'other', Number.POSITIVE_INFINITY, () => {})(0)
  }
  const first = await next()
  const second = next()
  const third = next()
  pass(70_000)
  first(60_000)
  pass(60_000)
  const release = await second
  release(60_001)
  await expect(third).rejects.toMatchObject({ code: 'source-rate-limited' })
  await expect(next()).rejects.toMatchObject({ code: 'source-rate-limited' })
  // Those that gave up took no turn.
  const late = turn(
    limiter,
    { ...OPTIONS, longestPauseMs: 60_001 },
    'a.example',
    new AbortController().signal,
  )
  pass(100_000)
  ;(await late)(0)
})
