/**
 * CANARY=daily tries every task once a day with each of its inputs, free of charge, whatever restarts and however many
 * nodes there are, and repeats what ended badly once.
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { CANARY_ACCOUNT_ID } from '../../../src/domain/health/canary.ts'
import type { DailyCanary } from '../../../src/health/canary/daily.ts'
import { DAY_MS, dayOf, probesOn } from '../../../src/health/canary/probes.ts'
import { CHANGED, EMPTY, GOOD, type Lamps, openLamps } from './lamps.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

let lamps: Lamps
beforeEach(async () => {
  lamps = await openLamps()
})
afterEach(() => lamps.close())

/** When the inputs of lamps.search are due on a day, since the first midnight. */
function dueTimes(day = 0): number[] {
  const task = lamps.stand.catalogue.get('lamps.search')!
  return probesOn(dayOf(lamps.midnight) + day, task).map(({ dueAt }) => dueAt - lamps.midnight)
}

/** Rounds of some nodes every `stepMs` from a time until another one. */
async function pass(nodes: readonly DailyCanary[], from: number, until: number, stepMs = 10 * MINUTE) {
  for (let at = from; at < until; at += stepMs) {
    lamps.goTo(at)
    await Promise.all(nodes.map((node) => lamps.round(node)))
  }
}

describe('a day', () => {
  test('has one run of each input, spread over the day', async () => {
    await pass([lamps.node()], 0, DAY_MS)
    expect(lamps.asked.toSorted()).toEqual(['desk', 'floor', 'wall'])
    const times = (await lamps.runs()).map(({ at }) => at)
    expect(times).toEqual(dueTimes().map((due) => Math.ceil(due / (10 * MINUTE)) * 10 * MINUTE))
    for (const [i, at] of times.slice(1).entries()) expect(at - times[i]!).toBeGreaterThan(7 * HOUR)
  })

  test('costs nothing: the account has no entry in its ledger, and a balance of 0', async () => {
    await pass([lamps.node()], 0, DAY_MS, HOUR)
    expect(await lamps.runs()).toHaveLength(3)
    expect(await lamps.accountEvents()).toEqual(['AccountOpened'])
    expect(await lamps.stand.balance(CANARY_ACCOUNT_ID)).toBe(0)
    for (const { id } of await lamps.runs())
      expect(await lamps.stand.ended(id)).toMatchObject({
        run_status: 'succeeded',
        credits: { charged: 0, refunded: 0 },
      })
  })

  test('is followed by the same on the next day', async () => {
    const node = lamps.node()
    await pass([node], 0, 2 * DAY_MS, HOUR)
    expect(await lamps.runs()).toHaveLength(6)
  })

  test('of two nodes has each run once, and a restart of both repeats none', async () => {
    await pass([lamps.node(), lamps.node()], 0, DAY_MS / 2, HOUR)
    lamps.goTo(DAY_MS / 2)
    const again = [lamps.node(), lamps.node()]
    await Promise.all(again.map((node) => node.round()))
    await pass(again, DAY_MS / 2, DAY_MS, HOUR)
    expect(lamps.asked.toSorted()).toEqual(['desk', 'floor', 'wall'])
  })

  test('on which no node ran until the evening is caught up, one run a round', async () => {
    const node = lamps.node()
    const evening = dueTimes().at(-1)!
    for (let n = 1; n <= 4; n++) {
      lamps.goTo(evening + n * MINUTE)
      await lamps.round(node)
      expect(await lamps.runs()).toHaveLength(Math.min(n, 3))
    }
  })

  test('on which no node ran is left out', async () => {
    await pass([lamps.node()], DAY_MS, DAY_MS + 1)
    const due = dueTimes(1).filter((at) => at <= DAY_MS)
    expect(await lamps.runs()).toHaveLength(due.length)
  })
})

describe('a bad run', () => {
  /** Lets the first run of the day end with an answer. @returns when it ended */
  async function endsWith(body: string, node = lamps.node()): Promise<number> {
    const [first] = dueTimes() as [number]
    lamps.answers.body = body
    lamps.goTo(first)
    await lamps.round(node)
    expect(await lamps.runs()).toHaveLength(1)
    return first
  }

  test('is repeated once, after ten minutes', async () => {
    const node = lamps.node()
    const first = await endsWith(CHANGED, node)
    await pass([node], first + MINUTE, first + 10 * MINUTE, MINUTE)
    expect(await lamps.runs()).toHaveLength(1)
    await pass([node], first + 10 * MINUTE, first + 2 * HOUR)
    expect((await lamps.runs()).map(({ at }) => at)).toEqual([first, first + 10 * MINUTE])
  })

  test('is repeated once by nodes that started after it ended', async () => {
    const first = await endsWith(CHANGED)
    await pass([lamps.node(), lamps.node()], first + 11 * MINUTE, first + 12 * MINUTE)
    await pass([lamps.node()], first + 12 * MINUTE, first + HOUR)
    expect(await lamps.runs()).toHaveLength(2)
  })

  test('is not repeated after an hour: that would say nothing of it', async () => {
    const first = await endsWith(CHANGED)
    await pass([lamps.node()], first + HOUR, first + 3 * HOUR)
    expect(await lamps.runs()).toHaveLength(1)
  })

  test('late in the evening is repeated after midnight', async () => {
    const late = DAY_MS - 2 * MINUTE
    lamps.answers.body = CHANGED
    await pass([lamps.node()], late, late + 1)
    await pass([lamps.node()], late + 10 * MINUTE, late + 10 * MINUTE + 1)
    expect((await lamps.runs()).map(({ at }) => at)).toEqual([late, late + 10 * MINUTE])
  })

  test('of an input without items counts as bad if the input had some in the last week', async () => {
    const node = lamps.node()
    await pass([node], 0, DAY_MS, HOUR)
    lamps.answers.body = EMPTY
    const [first] = dueTimes(1) as [number]
    await pass([node], first, first + 2 * HOUR)
    expect((await lamps.runs()).map(({ at }) => at).slice(3)).toEqual([first, first + 10 * MINUTE])
  })

  test('is none when an input without items never had any', async () => {
    const node = lamps.node()
    const first = await endsWith(EMPTY, node)
    await pass([node], first, first + 2 * HOUR)
    expect(await lamps.runs()).toHaveLength(1)
  })

  test('holds up the other inputs of its task until it is repeated', async () => {
    const node = lamps.node()
    const evening = dueTimes().at(-1)!
    lamps.answers.body = CHANGED
    await pass([node], evening, evening + 10 * MINUTE, MINUTE)
    expect(await lamps.runs()).toHaveLength(1)
    lamps.answers.body = GOOD
    await pass([node], evening + 10 * MINUTE, evening + 14 * MINUTE, MINUTE)
    expect(lamps.asked).toHaveLength(4)
    expect(lamps.asked[1]).toBe(lamps.asked[0]!)
  })
})

describe('a task is not tried', () => {
  const entitle = (change: { readonly suspended?: boolean; readonly tasks?: readonly string[] }) =>
    lamps.stand.accounts.handle(
      { type: 'entitle', accountId: CANARY_ACCOUNT_ID, ...change },
      { accountId: CANARY_ACCOUNT_ID, correlationId: 'test', causationId: 'test' },
    )
  /** Goes through the day until the first run, which opens the account. */
  async function opened(): Promise<DailyCanary> {
    const node = lamps.node()
    lamps.goTo(dueTimes()[0]!)
    await lamps.round(node)
    return node
  }

  test('without the login that it needs', async () => {
    const node = lamps.node()
    await lamps.round(node)
    expect([...node.notTried]).toEqual([['lamps.mine', 'login']])
  })

  test('until the account has that login, which its runs then use', async () => {
    const { vault, logins, now } = lamps.stand
    const cookie = { name: 'sid', value: 'ours', domain: 'www.lamps.example', path: '/' }
    const more = { expires: -1, secure: false, httpOnly: true, sameSite: 'Lax' }
    const state = JSON.stringify({ cookies: [{ ...cookie, ...more }], origins: [] })
    const ref = await vault.save(CANARY_ACCOUNT_ID, 'lamps', state)
    await logins.complete(
      CANARY_ACCOUNT_ID,
      'lamps',
      { ref, validUntil: null, startedAt: now() },
      { correlationId: 'test', causationId: 'test', now: now() },
    )
    const node = lamps.node()
    await pass([node], DAY_MS - 5 * MINUTE, DAY_MS, MINUTE)
    expect([...node.notTried]).toEqual([])
    expect((await lamps.runs()).map(({ task }) => task).toSorted()).toEqual([
      'lamps.mine',
      ...Array(3).fill('lamps.search'),
    ])
    expect(lamps.cookies.filter(Boolean)).toEqual(['sid=ours'])
  })

  test('while the account is suspended, and is again when it is resumed', async () => {
    const node = await opened()
    await entitle({ suspended: true })
    await pass([node], dueTimes()[1]!, DAY_MS, HOUR)
    expect(node.notTried.get('lamps.search')).toBe('suspended')
    expect(await lamps.runs()).toHaveLength(1)
    await entitle({ suspended: false })
    await lamps.round(node)
    expect(await lamps.runs()).toHaveLength(2)
  })

  test("if the account's permissions exclude it", async () => {
    const node = await opened()
    await entitle({ tasks: ['forum.*'] })
    await pass([node], dueTimes()[1]!, DAY_MS, HOUR)
    expect(node.notTried.get('lamps.search')).toBe('excluded')
    expect(await lamps.runs()).toHaveLength(1)
  })
})
