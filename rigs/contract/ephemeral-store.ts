/**
 * The contract of ephemeral stores.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { AccountId, KeyId, RunId } from '../../src/domain/ids.ts'
import type {
  EphemeralStore,
  RateClass,
  RateVerdict,
  RunSlot,
  RunSlots,
} from '../../src/ephemeral/ephemeral-store.ts'

/** An empty store; `reopen` closes it and opens the same store again. */
export type OpenEphemeralStore = {
  readonly ephemeral: EphemeralStore
  reopen(): Promise<EphemeralStore>
  close(): Promise<void>
}

const A = 'acc_00000000000000000000000001' as AccountId
const B = 'acc_00000000000000000000000002' as AccountId
const KEY_1 = 'key_00000000000000000000000001' as KeyId
const KEY_2 = 'key_00000000000000000000000002' as KeyId
const START = Date.parse('2026-01-01T00:00:00Z')

/** Registers the tests for a back end. */
export function ephemeralStoreContract(name: string, open: () => Promise<OpenEphemeralStore>): void {
  describe(`the ephemeral store on ${name}`, () => {
    let opened: OpenEphemeralStore
    let ephemeral: EphemeralStore
    beforeEach(async () => {
      opened = await open()
      ephemeral = opened.ephemeral
    })
    afterEach(() => opened.close())

    const take = async (ms: number, perMinute: number, account: AccountId = A, kind: RateClass = 'kickoff') =>
      ephemeral.take(account, kind, perMinute, START + ms)
    const takeAll = async (count: number, ms: number, perMinute: number) => {
      let last: RateVerdict | undefined
      for (let i = 0; i < count; i++) last = await take(ms, perMinute)
      return last
    }

    test('a bucket counts its tokens down and says when it is full again', async () => {
      expect(await take(0, 3)).toEqual({ allowed: true, remaining: 2, resetS: 20 })
      expect(await take(0, 3)).toEqual({ allowed: true, remaining: 1, resetS: 40 })
      expect(await take(0, 3)).toEqual({ allowed: true, remaining: 0, resetS: 60 })
      expect(await take(0, 3)).toEqual({ allowed: false, remaining: 0, resetS: 20 })
    })

    test('tokens come back at an even rate, exact to the millisecond', async () => {
      await takeAll(120, 0, 120)
      expect((await take(499, 120)).allowed).toBe(false)
      expect((await take(500, 120)).allowed).toBe(true)
      expect((await take(999, 120)).allowed).toBe(false)
      expect((await take(1000, 120)).allowed).toBe(true)
      // The refused calls took no tokens.
      expect((await take(61_000, 120)).remaining).toBe(119)
    })

    test('many small steps refill exactly as much as one large step', async () => {
      await takeAll(7, 0, 7)
      let allowed = 0
      for (let ms = 0; ms < 60_000; ms += 500) {
        const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => take(ms + i * 10 + 10, 7)))
        allowed += answers.filter((verdict) => verdict.allowed).length
      }
      expect(allowed).toBe(7)
    })

    test('a refusal says in how many seconds the next call is allowed, rounded up', async () => {
      await takeAll(1, 0, 1)
      expect(await take(0, 1)).toEqual({ allowed: false, remaining: 0, resetS: 60 })
      expect(await take(1001, 1)).toEqual({ allowed: false, remaining: 0, resetS: 59 })
      expect(await take(59_999, 1)).toEqual({ allowed: false, remaining: 0, resetS: 1 })
      expect((await take(60_000, 1)).allowed).toBe(true)
    })

    test('a bucket never holds more than its size, however long it was unused', async () => {
      await takeAll(2, 0, 2)
      expect((await take(10 * 60_000, 2)).remaining).toBe(1)
      expect((await take(10 * 60_000, 2)).remaining).toBe(0)
      expect((await take(10 * 60_000, 2)).allowed).toBe(false)
    })

    test('a bucket that is almost full again still counts the missing tokens', async () => {
      await takeAll(60, 0, 60)
      expect((await take(59_000, 60)).remaining).toBe(58)
      expect((await take(59_500, 60)).remaining).toBe(57)
      expect((await take(60_500, 60)).remaining).toBe(57)
    })

    test('each account and each class of calls has its own bucket', async () => {
      await takeAll(1, 0, 1)
      expect((await take(0, 1)).allowed).toBe(false)
      expect((await take(0, 1, B)).allowed).toBe(true)
      expect((await take(0, 1, A, 'read')).allowed).toBe(true)
      expect((await take(0, 1, A, 'admin')).allowed).toBe(true)
      expect((await ephemeral.take('operator', 'admin', 1, START)).allowed).toBe(true)
    })

    test('a changed limit applies from the next call on, and spent tokens stay spent', async () => {
      await takeAll(10, 0, 10)
      expect((await take(0, 10)).allowed).toBe(false)
      expect(await take(0, 15)).toMatchObject({ allowed: true, remaining: 4 })
      expect(await take(0, 5)).toMatchObject({ allowed: false, resetS: 12 })
      expect((await take(12_000, 5)).allowed).toBe(true)
    })

    test('a clock that goes back neither adds nor removes tokens', async () => {
      await takeAll(2, 0, 2)
      expect((await take(-3_600_000, 2)).allowed).toBe(false)
      expect((await take(-3_600_000 + 29_999, 2)).allowed).toBe(false)
      expect((await take(-3_600_000 + 30_000, 2)).allowed).toBe(true)
    })

    test('waitS returns the time to wait, also after the limit became smaller', async () => {
      const wait = async (ms: number, most: number) => ephemeral.waitS('ann', 'sign-up', most, START + ms)
      expect(await wait(0, 1)).toBe(0)
      for (let i = 0; i < 3; i++) await ephemeral.take('ann', 'sign-up', 3, START)
      expect([await wait(0, 4), await wait(0, 3), await wait(0, 1)]).toEqual([0, 1200, 3600])
      expect(await ephemeral.take('ann', 'sign-up', 1, START)).toMatchObject({ allowed: false, resetS: 3600 })
    })

    test('a mail about the health of tasks is allowed every 20 minutes, by whichever process asks', async () => {
      const mail = async (minutes: number) =>
        (await ephemeral.take('operator', 'health-mail', 1, START + minutes * 60_000)).allowed
      expect([await mail(0), await mail(19.9), await mail(20), await mail(20)]).toEqual([
        true,
        false,
        true,
        false,
      ])
    })

    test('the time of last use is the latest one, and is visible at once', async () => {
      expect(await ephemeral.lastUsed([KEY_1])).toEqual([undefined])
      ephemeral.used(KEY_1, START + 5)
      ephemeral.used(KEY_1, START + 7)
      ephemeral.used(KEY_1, START + 6)
      expect(await ephemeral.lastUsed([KEY_2, KEY_1])).toEqual([undefined, START + 7])
      expect(await ephemeral.lastUsed([])).toEqual([])
    })

    test('forget deletes the time of last use of one key and keeps others', async () => {
      ephemeral.used(KEY_1, START + 5)
      ephemeral.used(KEY_2, START + 6)
      ephemeral = await opened.reopen()
      ephemeral.used(KEY_1, START + 7)
      await ephemeral.forget([KEY_1])
      expect(await ephemeral.lastUsed([KEY_1, KEY_2])).toEqual([undefined, START + 6])
      ephemeral = await opened.reopen()
      expect(await ephemeral.lastUsed([KEY_1, KEY_2])).toEqual([undefined, START + 6])
    })

    test('times of last use survive an orderly stop, and do not go back after it', async () => {
      ephemeral.used(KEY_1, START + 7)
      ephemeral.used(KEY_2, START + 8)
      ephemeral = await opened.reopen()
      expect(await ephemeral.lastUsed([KEY_1, KEY_2])).toEqual([START + 7, START + 8])
      ephemeral.used(KEY_1, START + 1)
      ephemeral.used(KEY_2, START + 9)
      expect(await ephemeral.lastUsed([KEY_1, KEY_2])).toEqual([START + 7, START + 9])
      ephemeral = await opened.reopen()
      expect(await ephemeral.lastUsed([KEY_1, KEY_2])).toEqual([START + 7, START + 9])
    })
  })
}

/** Registers the tests of run slots for a back end. */
export function runSlotsContract(
  name: string,
  open: () => Promise<{ readonly slots: RunSlots; close(): Promise<void> }>,
): void {
  describe(`run slots on ${name}`, () => {
    let opened: Awaited<ReturnType<typeof open>>
    let slots: RunSlots
    beforeEach(async () => {
      opened = await open()
      slots = opened.slots
    })
    afterEach(() => opened.close())

    const RUNS = [1, 2, 3, 4].map((n) => `run_0000000000000000000000000${n}` as RunId)
    const slot = (n: number, holder = 'w1', account: AccountId = A): RunSlot => ({
      run: RUNS[n - 1] as RunId,
      account,
      holder,
    })
    const acquire = async (slot: RunSlot, ms: number, limit = 2) =>
      slots.acquire(slot, limit, 1000, START + ms)

    test('an account has as many slots as its limit says, and no more', async () => {
      expect(await acquire(slot(1), 0)).toBe('granted')
      expect(await acquire(slot(2, 'w2'), 0)).toBe('granted')
      expect(await acquire(slot(3), 0)).toBe('full')
      expect(await acquire(slot(3, 'w1', B), 0)).toBe('granted')
      expect(await acquire(slot(3), 0, 3)).toBe('granted')
      expect(await acquire(slot(4), 0, 0)).toBe('granted')
      expect(await acquire(slot(1), 0, 1)).toBe('granted')
    })

    test('a run has one slot: another holder gets taken, and the same holder is granted it again', async () => {
      expect(await acquire(slot(1), 0, 1)).toBe('granted')
      expect(await acquire(slot(1), 0, 1)).toBe('granted')
      expect(await acquire(slot(1, 'w2'), 0, 1)).toBe('taken')
      expect(await acquire(slot(2, 'w2'), 0, 1)).toBe('full')
    })

    test('concurrent requests never get more slots than the limit', async () => {
      const answers = await Promise.all(
        ['w1', 'w2', 'w3'].flatMap((holder) => RUNS.map((_, i) => acquire(slot(i + 1, holder), 0, 3))),
      )
      expect(answers.filter((slot) => slot === 'granted').length).toBe(3)
    })

    test('a slot expires when its lease ends, and not before', async () => {
      expect(await acquire(slot(1), 0, 1)).toBe('granted')
      expect(await acquire(slot(1, 'w2'), 999, 1)).toBe('taken')
      expect(await acquire(slot(2), 999, 1)).toBe('full')
      expect(await acquire(slot(1, 'w2'), 1000, 1)).toBe('granted')
      expect(await acquire(slot(1), 1000, 1)).toBe('taken')
    })

    test('a renewal extends a slot, and takes it again if it was lost or has expired', async () => {
      await acquire(slot(1), 0, 2)
      await slots.renew([slot(1), slot(2), slot(3, 'w1', B)], 1000, START + 900)
      expect(await acquire(slot(1, 'w2'), 1800)).toBe('taken')
      expect(await acquire(slot(2, 'w2'), 1800)).toBe('taken')
      expect(await acquire(slot(3, 'w2'), 1800)).toBe('full')
      expect(await acquire(slot(3, 'w2', B), 1800)).toBe('taken')
      await slots.renew([slot(1)], 1000, START + 5000)
      expect(await acquire(slot(1, 'w2'), 5500)).toBe('taken')
    })

    test('a holder can neither renew nor release a slot that passed to another holder', async () => {
      await acquire(slot(1), 0, 1)
      expect(await acquire(slot(1, 'w2'), 1000, 1)).toBe('granted')
      await slots.renew([slot(1)], 5000, START + 1500)
      await slots.release(slot(1), 0, START + 1500)
      expect(await acquire(slot(1), 1999, 1)).toBe('taken')
      expect(await acquire(slot(1), 2000, 1)).toBe('granted')
    })

    test('an ended run is taken for every holder, and its slot is free for other runs', async () => {
      await acquire(slot(1), 0, 1)
      await slots.release(slot(1), 60_000, START)
      expect(await acquire(slot(1, 'w2'), 1, 1)).toBe('taken')
      expect(await acquire(slot(1), 1, 1)).toBe('taken')
      expect(await acquire(slot(2, 'w2'), 1, 1)).toBe('granted')
    })

    test('a released slot is free at once, and releasing it again has no effect', async () => {
      await acquire(slot(1), 0, 1)
      await slots.release(slot(1), 0, START + 1500)
      await slots.release(slot(1), 0, START + 1500)
      await slots.release(slot(4), 0, START + 1500)
      expect(await acquire(slot(2, 'w2'), 0, 1)).toBe('granted')
      expect(await acquire(slot(1), 0, 1)).toBe('full')
    })
  })
}
