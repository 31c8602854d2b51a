/** A route that has refused five requests in a row is left alone for hours. */
import { expect, test } from 'bun:test'
import { Blocked, SourceChanged } from 'gleaner/plugin'
import { createMemory } from 'gleaner/plugin/testing'
import { type Asking, unlessRefused } from './requests.ts'

const HOUR = 3_600_000

/** Asks a route whose requests fail with an error. */
function asking({ signedIn = false } = {}) {
  const state = { calls: 0, now: 0 }
  const context = { exitMemory: createMemory(() => state.now), signedIn } as Asking
  const ask = (error?: Error, route = 'list') =>
    unlessRefused(context, route, async () => {
      state.calls++
      if (error) throw error
    }).catch((reason) => reason)
  return { ask, state }
}
const block = new Blocked('an empty response')

test('five refusals in a row leave a route alone for three hours, and other routes open', async () => {
  const { ask, state } = asking()
  for (let i = 0; i < 8; i++) expect(await ask(block)).toBeInstanceOf(Blocked)
  expect(state.calls).toBe(5)
  await ask(undefined, 'detail')
  expect(state.calls).toBe(6)
  state.now += 3 * HOUR + 1
  await ask()
  expect(state.calls).toBe(7)
})

test('an answer in between starts the count again, and other failures do not count', async () => {
  const { ask, state } = asking()
  for (let i = 0; i < 4; i++) await ask(block)
  await ask()
  for (let i = 0; i < 4; i++) await ask(block)
  for (let i = 0; i < 9; i++) await ask(new SourceChanged('404'))
  await ask()
  expect(state.calls).toBe(19)
})

test('the refusals of an account close nothing for others', async () => {
  const { ask, state } = asking({ signedIn: true })
  for (let i = 0; i < 9; i++) await ask(block)
  expect(state.calls).toBe(9)
})
