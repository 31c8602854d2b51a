/**
 * A run that is cancelled while 31 others share its process ends in time, whatever its code does. Nothing that this code
 * says or writes afterwards counts, and the process goes once the others have ended.
 *
 * @module
 */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { until } from '../../../rigs/servers/processes.ts'
import { cookiesIn } from '../../../src/browser/page/state-changes.ts'
import { COST, CREDITS, type Crowd, GOOD_RUNS, openCrowd } from './crowd.ts'

/** The contract's limit for the end of a cancelled run, in milliseconds. */
const CANCELLED_MS = 10_000

let crowd: Crowd
beforeEach(async () => {
  crowd = await openCrowd({ signedIn: true })
})
afterEach(() => crowd.close(), 30_000)

test('a cancelled run ends within 10 s among 31 others while its code goes on, which no longer counts', async () => {
  const { stand, site, login } = crowd
  const { account, id } = await crowd.beginBad('ignores')
  const startedAt = performance.now()
  await stand.cancel(id)
  const ended = await crowd.answersUntil(stand.ended(id))
  expect(performance.now() - startedAt).toBeLessThan(CANCELLED_MS)
  expect(ended).toMatchObject({ run_status: 'cancelled', attempt: 1 })
  expect(ended.credits.refunded).toBe(ended.credits.charged)
  await stand.untilBalance(account, CREDITS - GOOD_RUNS * COST)

  /** All that the run has brought about. */
  const traces = async () => ({
    run: await stand.ended(id),
    events: await stand.eventsOf(id),
    balance: await stand.balance(account),
    cookies: await stand.vault.load(account, 'chaos', login.ref!),
    lines: crowd.lines.filter(({ run_id, msg }) => run_id === id && msg === 'still here').length,
  })
  const before = await traces()
  const { knocks } = site
  await until(() => site.knocks > knocks + 20)
  expect(await traces()).toEqual(before)

  expect(crowd.processes()).toEqual([{ state: 'draining', processes: 1, runs: GOOD_RUNS }])
  await crowd.beginGood('next')
  await until(() => site.waiting.includes('next'))
  expect(crowd.processes()).toEqual([
    { state: 'draining', processes: 1, runs: GOOD_RUNS },
    { state: 'accepting', processes: 1, runs: 1 },
  ])
  // The cookies of another run are kept; those of the cancelled run come to nothing.
  const cookies = async () =>
    cookiesIn(String(await stand.vault.load(account, 'chaos', login.ref!))).map(({ name }) => name)
  expect(await cookies()).toEqual(['session'])
  site.letGo('good0')
  await stand.ended(crowd.good[0]!.id)
  expect(await cookies()).toEqual(['session', 'good0'])

  site.open()
  await crowd.expectGood(1)
  await crowd.isGone('draining')
  for (const name of ['bad', 'late']) expect(await cookies()).not.toContain(name)
}, 60_000)
