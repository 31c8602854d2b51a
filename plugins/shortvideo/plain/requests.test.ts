/** A route that has refused five requests in a row is left alone for hours. */
import { expect, test } from 'bun:test'
import { Blocked, SourceChanged } from 'gleaner/plugin'
import { createMemory } from 'gleaner/plugin/testing'
import { type Asking, unlessRefused } from './requests.ts'

const HOUR = 3_600_000

/** Asks a route whose requests fail with an error. */
function asking({ signedIn = false } = {}) {
  const seen = { asked: 0, now: 0 }
  const context = { memory: createMemory(() => seen.now), signedIn } as Asking
  const ask = (error?: Error, route = 'list') =>
    unlessRefused(context, route, async () => {
      seen.asked++
      if (error) throw error
    }).catch((thrown) => thrown)
  return { ask, seen }
}
const blocked = new Blocked('an empty response')

test('five refusals in a row leave a route alone for three hours, and other routes open', async () => {
  const { ask, seen } = asking()
  for (let i = 0; i < 8; i++) expect(await ask(blocked)).toBeInstanceOf(Blocked)
  expect(seen.asked).toBe(5)
  await ask(undefined, 'detail')
  expect(seen.asked).toBe(6)
  seen.now += 3 * HOUR + 1
  await ask()
  expect(seen.asked).toBe(7)
})

test('an answer in between starts the count again, and other failures do not count', async () => {
  const { ask, seen } = asking()
  for (let i = 0; i < 4; i++) await ask(blocked)
  await ask()
  for (let i = 0; i < 4; i++) await ask(blocked)
  for (let i = 0; i < 9; i++) await ask(new SourceChanged('404'))
  await ask()
  expect(seen.asked).toBe(19)
})

test('the refusals of an account close nothing for others', async () => {
  const { ask, seen } = asking({ signedIn: true })
  for (let i = 0; i < 9; i++) await ask(blocked)
  expect(seen.asked).toBe(9)
})
