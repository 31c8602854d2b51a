/**
 * The contract of gateways for remote sign-ins.
 *
 * @module
 */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { SignInError } from '../../src/signin/browser/errors.ts'
import type { SignInLinks } from '../../src/signin/links.ts'
import type { Gateway } from '../../src/signin/remote/gateway.ts'
import { MOST_WAITING, type SessionDeps } from '../../src/signin/remote/session.ts'
import { type FakePage, pictureIn } from '../../test/signin/remote/fake-browser.ts'
import {
  aSession,
  atAddress,
  failureOf,
  type Person,
  personAt,
  positionsOf,
  SIGNED_IN,
  until,
} from '../../test/signin/remote/parts.ts'

export type OpenGateway = {
  readonly gateway: Gateway
  /** the gateway of another process if there are several, else the same one */
  readonly other: Gateway
  /** the opened pages, in their order */
  readonly pages: readonly FakePage[]
  readonly signInLinks: SignInLinks
  close(): Promise<void>
}

/** @param more settings of the gateway's signers */
export type OpensGateway = (more?: Pick<SessionDeps, 'abandonedMs'>) => Promise<OpenGateway>

/** Registers the tests for a gateway. @param open opens a gateway with slots for two sign-ins */
export function gatewayContract(name: string, open: OpensGateway): void {
  describe(`sign-in at ${name}`, () => {
    let opened: OpenGateway
    beforeEach(async () => {
      opened = await open()
    })
    afterEach(() => opened.close())

    const page = (n: number): FakePage => opened.pages[n] as FakePage
    const openSession = async (forMs?: number) => {
      const wanted = await aSession(opened.signInLinks, forMs)
      await opened.gateway.open(wanted)
      return wanted
    }
    /** A viewer whose sign-in got a slot, with its page. */
    const inside = async (n = 0) => {
      const { id, hash } = await openSession()
      const person = await personAt(opened.other, id)
      await until(() => opened.pages.length > n)
      page(n).tell({ type: 'loading', loading: false })
      await person.hears('loading')
      return { id, hash, person, page: page(n) }
    }
    /** Takes all slots; then `count` viewers wait, each after the one before. */
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

    test('a viewer receives the events of its sign-in in order, with done as the last one', async () => {
      const { person, page, hash } = await inside()
      page.tell(atAddress('/sign-in', 'Sign in'))
      page.tell({ type: 'loading', loading: true })
      page.signedIn(SIGNED_IN)
      await person.ended
      // A viewer that gets a slot at once may have received its position in the queue before.
      expect(person.events.filter(({ type }) => type !== 'waiting')).toEqual([
        { type: 'loading', loading: false },
        atAddress('/sign-in', 'Sign in'),
        { type: 'loading', loading: true },
        { type: 'saving' },
        { type: 'done' },
      ])
      await until(async () => (await opened.signInLinks.find(hash, Date.now())) === undefined)
    })

    test('a viewer that waits for a slot receives its position in the queue, at once and when it changes', async () => {
      const { one, people } = await waiting(3)
      expect(people.map(positionsOf)).toEqual([[1], [2], [3]])
      one.page.signedIn(SIGNED_IN)
      await until(() => opened.pages.length === 3)
      await until(() => positionsOf(people[2]!).length === 2)
      await until(() => positionsOf(people[1]!).length === 2)
      expect(people.map(positionsOf)).toEqual([[1], [2, 1], [3, 2]])
      // The first of them got a slot.
      page(2).tell({ type: 'loading', loading: true })
      await people[0]?.hears('loading')
      await expect(people[1]?.viewer.send([{}])).rejects.toThrow(SignInError)
    })

    test('a viewer that closes while it waits leaves the queue, and its link is used up', async () => {
      const { people } = await waiting(2)
      await people[0]?.viewer.close()
      await people[0]?.ended
      expect(failureOf(people[0]!)).toBe('closed')
      await until(() => positionsOf(people[1]!).at(-1) === 1)
      await until(async () => (await opened.signInLinks.find(people[0]!.hash, Date.now())) === undefined)
    })

    test('a waiting viewer is told when its link expires', async () => {
      await waiting(0)
      const { id } = await openSession(300)
      const person = await personAt(opened.other, id)
      await person.ended
      expect(failureOf(person)).toBe('expired')
      expect(opened.pages).toHaveLength(2)
    })

    test('a waiting viewer is told when its link is withdrawn', async () => {
      const { people } = await waiting(1)
      await opened.signInLinks.close(people[0]!.hash)
      await people[0]!.ended
      expect(failureOf(people[0]!)).toBe('withdrawn')
    })

    test(`a viewer is refused as busy while ${MOST_WAITING} sign-ins wait`, async () => {
      await waiting(0)
      const ids: string[] = []
      for (let i = 0; i < MOST_WAITING; i++) ids.push((await openSession()).id)
      const person = await personAt(opened.other, (await openSession()).id)
      await person.ended
      expect(person.events).toEqual([
        { type: 'failed', code: 'busy', text: 'too many people are signing in right now' },
      ])
      const last = await personAt(opened.other, ids.at(-1)!)
      await last.hears('waiting')
      expect(positionsOf(last)).toEqual([MOST_WAITING])
    })

    test('a thousand inputs sent at once arrive in order, each once', async () => {
      const { person, page } = await inside()
      const inputs = Array.from({ length: 1000 }, (_, i) => ({ type: 'text', text: `${i}` }))
      const calls = [0, 200, 400, 600, 800].map((from) => person.viewer.send(inputs.slice(from, from + 200)))
      await Promise.all(calls)
      await until(() => page.inputs.length >= inputs.length)
      expect(page.inputs).toEqual(inputs)
    })

    test('a viewer gets a notice of an input that the page refuses, and the inputs around it arrive', async () => {
      const { person, page } = await inside()
      const codes = () => person.events.flatMap((event) => (event.type === 'notice' ? [event.code] : []))
      await person.viewer.send([{ n: 1 }, { refuse: 'bad-input' }, { n: 2 }])
      await until(() => codes().length === 1)
      await person.viewer.send([{ refuse: 'flooded' }, { n: 3 }])
      await until(() => codes().length === 2)
      expect(codes()).toEqual(['not-taken', 'not-taken'])
      expect(page.inputs).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    })

    test('the first frame is sent at once, and each later one is newer than the one before', async () => {
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

    test('a second viewer gets the current address and later events, and the first viewer is ended', async () => {
      const { person, page, id } = await inside()
      page.tell(atAddress('/'))
      await person.hears('address')
      const second = await personAt(opened.gateway, id)
      await second.hears('address')
      await person.ended
      page.tell({ type: 'focus', focus: null })
      await second.hears('focus')
      expect(person.events.map(({ type }) => type)).toEqual(['loading', 'address'])
      expect(second.events.map(({ type }) => type)).toEqual(['loading', 'address', 'focus'])
    })

    test('a second viewer of a waiting sign-in gets its position, and the first viewer is ended', async () => {
      const { people } = await waiting(1)
      const second = await personAt(opened.gateway, people[0]!.id)
      await second.hears('waiting')
      await people[0]!.ended
      expect(positionsOf(people[0]!)).toEqual([1])
    })

    test('a viewer that leaves and comes back finds its sign-in still open', async () => {
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

    test('a sign-in is abandoned when its viewer does not come back, and continues while the viewer stays', async () => {
      await opened.close()
      // Three times the interval at which a viewer is seen to be present.
      opened = await open({ abandonedMs: 6000 })
      const [gone, still] = [await inside(0), await inside(1)]
      gone.person.leave()
      await until(() => gone.page.isClosed)
      const late = await personAt(opened.gateway, gone.id)
      await late.ended
      expect(failureOf(late)).toBe('abandoned')
      await until(async () => (await opened.signInLinks.find(gone.hash, Date.now())) === undefined)
      const next = await inside(2)
      expect([still.page.isClosed, next.page.isClosed]).toEqual([false, false])
    })

    test('a viewer that closes its sign-in closes the page and uses up the link; later calls are refused', async () => {
      const { person, page, hash } = await inside()
      await person.viewer.close()
      await person.ended
      expect(failureOf(person)).toBe('closed')
      expect(page.isClosed).toBe(true)
      await until(async () => (await opened.signInLinks.find(hash, Date.now())) === undefined)
      await expect(person.viewer.send([{}])).rejects.toThrow(SignInError)
      await expect(person.viewer.frame()).rejects.toThrow(SignInError)
    })

    test('a viewer with a page is told when its time is up, and when its link is withdrawn', async () => {
      const { id } = await openSession(2000)
      const short = await personAt(opened.other, id)
      await short.ended
      expect(failureOf(short)).toBe('expired')
      const { person, hash } = await inside(opened.pages.length)
      await opened.signInLinks.close(hash)
      await person.ended
      expect(failureOf(person)).toBe('withdrawn')
    })

    test.each(['browser-ended', 'page-crashed', 'no-browser'] as const)(
      'a viewer is told why its page was lost: %s',
      async (code) => {
        const { person, page } = await inside()
        page.fail(new SignInError(code))
        await person.ended
        expect(person.events.at(-1)).toEqual({ type: 'failed', code, text: new SignInError(code).message })
      },
    )

    test('a viewer that comes after the end receives the result', async () => {
      const { person, page, id } = await inside()
      page.signedIn(SIGNED_IN)
      await person.ended
      const later = await personAt(opened.gateway, id)
      await later.ended
      expect(later.events.at(-1)).toEqual({ type: 'done' })
    })

    test('view returns undefined for an unknown session', async () => {
      expect(await opened.gateway.view('0'.repeat(64))).toBeUndefined()
    })

    test('fifty concurrent sign-ins all complete, never with more open pages than slots', async () => {
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
