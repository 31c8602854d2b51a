/**
 * What every gateway must do for people who sign in.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { SignInError } from '../../src/browser/signin/errors.ts'
import type { SignInLinks } from '../../src/login/links.ts'
import type { Gateway } from '../../src/login/remote/gateway.ts'
import { MOST_WAITING, type SignerDeps } from '../../src/login/remote/session.ts'
import { type FakePage, pictureIn } from '../login/remote/fake-browser.ts'
import {
  aSession,
  atAddress,
  failureOf,
  type Person,
  personAt,
  positionsOf,
  SIGNED_IN,
  until,
} from '../login/remote/parts.ts'

export type OpenGateway = {
  readonly gateway: Gateway
  /** one of another process, where there are several; else the same */
  readonly other: Gateway
  /** those that were opened, in their order */
  readonly pages: readonly FakePage[]
  readonly signIns: SignInLinks
  close(): Promise<void>
}

/** @param more of the signers of the gateway */
export type OpensGateway = (more?: Pick<SignerDeps, 'abandonedMs'>) => Promise<OpenGateway>

/** Tells a gateway what it must do. @param open opens one with room for two at once */
export function gatewayContract(name: string, open: OpensGateway): void {
  describe(`people who sign in, at ${name}`, () => {
    let opened: OpenGateway
    beforeEach(async () => {
      opened = await open()
    })
    afterEach(() => opened.close())

    const page = (n: number): FakePage => opened.pages[n] as FakePage
    const openSession = async (forMs?: number) => {
      const wanted = await aSession(opened.signIns, forMs)
      await opened.gateway.open(wanted)
      return wanted
    }
    /** Somebody who was let in, and what they see. */
    const inside = async (n = 0) => {
      const { id, hash } = await openSession()
      const person = await personAt(opened.other, id)
      await until(() => opened.pages.length > n)
      page(n).tell({ type: 'loading', loading: false })
      await person.hears('loading')
      return { id, hash, person, page: page(n) }
    }
    /** All slots taken, and then some who wait, each after the one before. */
    const waiting = async (count: number) => {
      const [one, two] = [await inside(0), await inside(1)]
      const people: (Person & { id: string; hash: string })[] = []
      for (let i = 0; i < count; i++) {
        const { id, hash } = await openSession()
        const person = await personAt(i % 2 ? opened.gateway : opened.other, id)
        await person.hears('waiting')
        people.push({ ...person, id, hash })
      }
      return { one, two, people }
    }

    test('who signs in hears of everything in its order, until it is saved, and nothing after', async () => {
      const { person, page, hash } = await inside()
      page.tell(atAddress('/sign-in', 'Sign in'))
      page.tell({ type: 'loading', loading: true })
      page.signedIn(SIGNED_IN)
      await person.ended
      // Who is let in at once may hear of the line before.
      expect(person.told.filter(({ type }) => type !== 'waiting')).toEqual([
        { type: 'loading', loading: false },
        atAddress('/sign-in', 'Sign in'),
        { type: 'loading', loading: true },
        { type: 'saving' },
        { type: 'done' },
      ])
      await until(async () => (await opened.signIns.find(hash, Date.now())) === undefined)
    })

    test('who comes when all slots are taken hears how many are before, at once and when that changes', async () => {
      const { one, people } = await waiting(3)
      expect(people.map(positionsOf)).toEqual([[1], [2], [3]])
      one.page.signedIn(SIGNED_IN)
      await until(() => opened.pages.length === 3)
      await until(() => positionsOf(people[2]!).length === 2)
      await until(() => positionsOf(people[1]!).length === 2)
      expect(people.map(positionsOf)).toEqual([[1], [2, 1], [3, 2]])
      // The first of them is in.
      page(2).tell({ type: 'loading', loading: true })
      await people[0]?.hears('loading')
      await expect(people[1]?.viewer.send([{}])).rejects.toThrow(SignInError)
    })

    test('who gives up while waiting leaves the line, and their link is used', async () => {
      const { people } = await waiting(2)
      await people[0]?.viewer.close()
      await people[0]?.ended
      expect(failureOf(people[0]!)).toBe('closed')
      await until(() => positionsOf(people[1]!).at(-1) === 1)
      await until(async () => (await opened.signIns.find(people[0]!.hash, Date.now())) === undefined)
    })

    test('who waits for longer than their link stands is told so', async () => {
      await waiting(0)
      const { id } = await openSession(300)
      const person = await personAt(opened.other, id)
      await person.ended
      expect(failureOf(person)).toBe('expired')
      expect(opened.pages).toHaveLength(2)
    })

    test('who waits while their link is withdrawn is told so', async () => {
      const { people } = await waiting(1)
      await opened.signIns.close(people[0]!.hash)
      await people[0]!.ended
      expect(failureOf(people[0]!)).toBe('withdrawn')
    })

    test(`when ${MOST_WAITING} wait, the next is told to come later`, async () => {
      await waiting(0)
      const ids: string[] = []
      for (let i = 0; i < MOST_WAITING; i++) ids.push((await openSession()).id)
      const person = await personAt(opened.other, (await openSession()).id)
      await person.ended
      expect(person.told).toEqual([
        { type: 'failed', code: 'busy', text: 'too many people are signing in right now' },
      ])
      const last = await personAt(opened.other, ids.at(-1)!)
      await last.hears('waiting')
      expect(positionsOf(last)).toEqual([MOST_WAITING])
    })

    test('a thousand inputs at once arrive in their order, each once', async () => {
      const { person, page } = await inside()
      const inputs = Array.from({ length: 1000 }, (_, i) => ({ type: 'text', text: `${i}` }))
      const calls = [0, 200, 400, 600, 800].map((from) => person.viewer.send(inputs.slice(from, from + 200)))
      await Promise.all(calls)
      await until(() => page.inputs.length >= inputs.length)
      expect(page.inputs).toEqual(inputs)
    })

    test('the person is told of an input that the page does not take, and those around it arrive', async () => {
      const { person, page } = await inside()
      const codes = () => person.told.flatMap((event) => (event.type === 'notice' ? [event.code] : []))
      await person.viewer.send([{ n: 1 }, { refuse: 'bad-input' }, { n: 2 }])
      await until(() => codes().length === 1)
      await person.viewer.send([{ refuse: 'flooded' }, { n: 3 }])
      await until(() => codes().length === 2)
      expect(codes()).toEqual(['not-taken', 'not-taken'])
      expect(page.inputs).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    })

    test('who has seen nothing gets a frame at once; then each is newer than the one before', async () => {
      const { person, page } = await inside()
      const { viewer } = person
      const first = await viewer.frame({ fresh: true })
      expect(pictureIn(first)).toBe('blank')
      expect({ ...first, jpeg: null }).toEqual({
        jpeg: null,
        width: 800,
        height: 600,
        scroll: { x: 0, y: 7 },
      })
      page.show('one')
      page.show('two')
      expect(pictureIn(await viewer.frame())).toBe('two')
      const next = viewer.frame()
      await until(() => page.isAsked)
      page.show('three')
      expect(pictureIn(await next)).toBe('three')
    })

    test('who attends last is told, and what holds still; the one before hears no more', async () => {
      const { person, page, id } = await inside()
      page.tell(atAddress('/'))
      await person.hears('address')
      const second = await personAt(opened.gateway, id)
      await second.hears('address')
      await person.ended
      page.tell({ type: 'focus', focus: null })
      await second.hears('focus')
      expect(person.told.map(({ type }) => type)).toEqual(['loading', 'address'])
      expect(second.told.map(({ type }) => type)).toEqual(['loading', 'address', 'focus'])
    })

    test('who attends last while waiting is told, and the one before hears no more', async () => {
      const { people } = await waiting(1)
      const second = await personAt(opened.gateway, people[0]!.id)
      await second.hears('waiting')
      await people[0]!.ended
      expect(positionsOf(people[0]!)).toEqual([1])
    })

    test('who leaves and comes again finds it going on', async () => {
      const { person, page, id } = await inside()
      person.leave()
      await person.ended
      page.tell(atAddress('/'))
      const again = await personAt(opened.gateway, id)
      await again.hears('address')
      await again.viewer.send([{ n: 1 }])
      await until(() => page.inputs.length > 0)
      expect(page.inputs).toEqual([{ n: 1 }])
    })

    test('who leaves and does not come back has given up, while who stays does not', async () => {
      await opened.close()
      // Three times as long as it takes to be seen to be there.
      opened = await open({ abandonedMs: 6000 })
      const [gone, still] = [await inside(0), await inside(1)]
      gone.person.leave()
      await until(() => gone.page.isClosed)
      const late = await personAt(opened.gateway, gone.id)
      await late.ended
      expect(failureOf(late)).toBe('abandoned')
      await until(async () => (await opened.signIns.find(gone.hash, Date.now())) === undefined)
      const next = await inside(2)
      expect([still.page.isClosed, next.page.isClosed]).toEqual([false, false])
    })

    test('who ends it closes the page and uses up the link; after it nothing is taken', async () => {
      const { person, page, hash } = await inside()
      await person.viewer.close()
      await person.ended
      expect(failureOf(person)).toBe('closed')
      expect(page.isClosed).toBe(true)
      await until(async () => (await opened.signIns.find(hash, Date.now())) === undefined)
      await expect(person.viewer.send([{}])).rejects.toThrow(SignInError)
      await expect(person.viewer.frame()).rejects.toThrow(SignInError)
    })

    test('who is inside is told when their time is up, and when their link is withdrawn', async () => {
      const { id } = await openSession(2000)
      const short = await personAt(opened.other, id)
      await short.ended
      expect(failureOf(short)).toBe('expired')
      const { person, hash } = await inside(opened.pages.length)
      await opened.signIns.close(hash)
      await person.ended
      expect(failureOf(person)).toBe('withdrawn')
    })

    test.each(['browser-ended', 'page-crashed', 'no-browser'] as const)(
      'who is inside is told why their page went: %s',
      async (code) => {
        const { person, page } = await inside()
        page.fail(new SignInError(code))
        await person.ended
        expect(person.told.at(-1)).toEqual({ type: 'failed', code, text: new SignInError(code).message })
      },
    )

    test('how it ended is heard by who attends later', async () => {
      const { person, page, id } = await inside()
      page.signedIn(SIGNED_IN)
      await person.ended
      const later = await personAt(opened.gateway, id)
      await later.ended
      expect(later.told.at(-1)).toEqual({ type: 'done' })
    })

    test('of an unknown session there is nothing to attend', async () => {
      expect(await opened.gateway.view('0'.repeat(64))).toBeUndefined()
    })

    test('fifty at once are all let in, never more at once than there is room', async () => {
      const all = await Promise.all(Array.from({ length: 50 }, () => openSession()))
      const people = await Promise.all(all.map(({ id }) => personAt(opened.other, id)))
      for (let served = 0; served < 50; served++) {
        await until(() => opened.pages.length > served)
        expect(opened.pages.length - served).toBeLessThanOrEqual(2)
        page(served).signedIn(SIGNED_IN)
      }
      await Promise.all(people.map(({ ended }) => ended))
      expect(new Set(people.map(failureOf))).toEqual(new Set(['done']))
    })
  })
}
