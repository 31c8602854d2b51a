/** Sign-in sessions: who is let in and when, how a session ends, and what the person is told. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type AccountId, loginStream } from '../../../src/domain/ids.ts'
import { openSqliteTickets, type SqliteTickets } from '../../../src/ephemeral/sqlite/tickets.ts'
import { StoreUnavailable } from '../../../src/log/event-log.ts'
import type { ExitUrl } from '../../../src/net/exits/choose.ts'
import { defineSource } from '../../../src/plugin.ts'
import { SignInError } from '../../../src/signin/browser/errors.ts'
import type {
  SignedIn,
  SignInEvent,
  SignInHandle,
  SignInListener,
} from '../../../src/signin/browser/types.ts'
import { SignInLinks } from '../../../src/signin/links.ts'
import { LocalSessions, MOST_WAITING, type SessionDeps } from '../../../src/signin/remote/session.ts'
import type { SessionEvent } from '../../../src/signin/remote/session-events.ts'
import { quiet } from '../../worker/quiet.ts'

const ACCOUNT = 'acc_00000000000000000000000001' as AccountId
const OTHER = 'acc_00000000000000000000000002' as AccountId
const source = defineSource({
  name: 'site',
  title: 'Site',
  origin: 'https://site.example',
  login: { url: '/sign-in', signedIn: { cookies: ['session'] } },
  tasks: [],
})
const viewport = { width: 800, height: 600, touch: false, scale: 1 }
const STATE: SignedIn = { state: '{"cookies":[]}', validUntil: 5 }

/** A page that the browser opened. `pages` holds them in order. */
type Page = {
  readonly exit: ExitUrl | null
  readonly tell: (event: SignInEvent) => void
  readonly onExitFailed: SignInListener['onExitFailed']
  readonly onUsed: SignInListener['onUsed']
  readonly signedIn: (signedIn: SignedIn) => void
  readonly fail: (error: SignInError) => void
  closed: boolean
}
let pages: Page[]
let saved: { account: string; source: string; state: string }[]
let completed: unknown[]
let isDeleted: boolean
let tickets: SqliteTickets
let signInLinks: SignInLinks
beforeEach(() => {
  pages = []
  saved = []
  completed = []
  isDeleted = false
  tickets = openSqliteTickets(':memory:')
  signInLinks = new SignInLinks(tickets)
})
afterEach(() => tickets.close())

function localSessionsWith(more: Partial<SessionDeps> = {}): LocalSessions {
  return new LocalSessions({
    browser: () => ({
      async signIn({ onEvent, onExitFailed, onUsed, exit }) {
        const { promise, resolve, reject } = Promise.withResolvers<SignedIn>()
        promise.catch(() => {})
        const page: Page = {
          exit,
          tell: onEvent,
          onExitFailed,
          onUsed,
          signedIn: resolve,
          fail: reject,
          closed: false,
        }
        pages.push(page)
        const close = () => {
          page.closed = true
          reject(new SignInError('closed'))
        }
        return { outcome: promise, close, send: async () => {} } as unknown as SignInHandle
      },
    }),
    exits: { forLogin: () => null, ended: async () => {} },
    logins: {
      async complete(account, name, signedIn) {
        completed.push([account, name, signedIn])
        return !isDeleted
      },
    },
    vault: {
      async save(account, name, state) {
        saved.push({ account, source: name, state })
        return `lgn_${saved.length}`
      },
    },
    signInLinks,
    logger: quiet,
    now: Date.now,
    room: 1,
    lookMs: 5,
    ...more,
  })
}

let last = 0
async function openSession(localSessions: LocalSessions, forMs = 60_000, account = ACCOUNT) {
  const id = `session-${++last}`
  const events: SessionEvent[] = []
  const expiresAt = Date.now() + forMs
  await signInLinks.add(id, { account, source: source.name, expiresAt }, Date.now())
  await signInLinks.open(id, id, Date.now())
  const session = localSessions.open({
    id,
    hash: id,
    account,
    source,
    viewport,
    startedAt: 7,
    expiresAt,
    onEvent: (event) => events.push(event),
  })
  return { id, session, events, until: (is: () => boolean) => turns(is) }
}

/** Lets other work proceed until a condition holds. */
async function turns(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((go) => setTimeout(go, 1))
}

test('a sign-in uses the exit of its login, as the runs with it will', async () => {
  const asked: string[][] = []
  const forLogin = (...args: [string, string]) => {
    asked.push(args)
    return { way: 'default', number: 2, label: 'default#2', isSession: false, url: 'http://exit.example' }
  }
  const { session } = await openSession(localSessionsWith({ exits: { forLogin, ended: async () => {} } }))
  await turns(() => pages.length === 1)
  expect(pages[0]?.exit?.url).toBe('http://exit.example')
  expect(asked).toEqual([['site', loginStream(ACCOUNT, 'site')]])
  pages[0]?.signedIn(STATE)
  await session.ended
})

test('an exit that fails during a sign-in rests, and what the page used of it is counted', async () => {
  const ended: unknown[] = []
  const uses: unknown[] = []
  const exit = {
    way: 'home',
    number: 2,
    label: 'home#2',
    isSession: false,
    url: 'http://u:marker@exit.example',
  }
  const { session } = await openSession(
    localSessionsWith({
      exits: {
        forLogin: () => exit,
        ended: async ({ label }, ...more) => void ended.push([label, ...more]),
      },
      onExitUsed: (use) => void uses.push(use),
    }),
  )
  await turns(() => pages.length === 1)
  pages[0]?.onExitFailed?.({ where: 'everywhere', reason: '407 to CONNECT' })
  expect(ended).toEqual([['home#2', 'site', 'unreachable', '407 to CONNECT']])
  session.close()
  await session.ended
  pages[0]?.onUsed?.({ requests: 4, bytes: 900 })
  expect(uses).toEqual([
    { way: 'home', exit: 2, source: 'site', outcome: 'sign-in', requests: 4, bytes: 900 },
  ])
})

test('a sign-in saves its login, completes it, reports success, and uses up its link', async () => {
  const order: string[] = []
  const localSessions = localSessionsWith({
    vault: {
      async save() {
        order.push('saved')
        return 'lgn_1'
      },
    },
    logins: {
      async complete(...args) {
        completed.push(args)
        order.push('completed')
        return true
      },
    },
  })
  const { events, session, id } = await openSession(localSessions)
  await turns(() => pages.length === 1)
  pages[0]?.tell({ type: 'loading', loading: true })
  pages[0]?.signedIn(STATE)
  await session.ended
  expect(events).toEqual([{ type: 'loading', loading: true }, { type: 'saving' }, { type: 'done' }])
  expect(order).toEqual(['saved', 'completed'])
  expect((completed[0] as unknown[]).slice(0, 3)).toEqual([
    ACCOUNT,
    'site',
    { ref: 'lgn_1', validUntil: 5, startedAt: 7 },
  ])
  expect(await signInLinks.find(id, Date.now())).toBeUndefined()
})

test('a session stays open for as long as it is attended', async () => {
  let looks = 0
  const localSessions = localSessionsWith({
    abandonedMs: 50,
    signInLinks: {
      async find(...args) {
        looks++
        attended.session.attended()
        return signInLinks.find(...args)
      },
      close: (hash) => signInLinks.close(hash),
    },
  })
  const attended = await openSession(localSessions)
  await turns(() => looks > 50)
  expect([pages[0]?.closed, attended.events]).toEqual([false, []])
  attended.session.close()
  await attended.session.ended
})

describe('a sign-in fails', () => {
  const failed = (events: readonly SessionEvent[]) => {
    const [end] = events.slice(-1)
    return end?.type === 'failed' ? end.code : end
  }

  test('when the login can’t be saved', async () => {
    const localSessions = localSessionsWith({ vault: { save: () => Promise.reject(new Error('full')) } })
    const { events, session } = await openSession(localSessions)
    await turns(() => pages.length === 1)
    pages[0]?.signedIn(STATE)
    await session.ended
    expect(failed(events)).toBe('not-saved')
  })

  test('but not when the store is briefly unavailable while the login is saved', async () => {
    let tries = 0
    const save = () =>
      ++tries < 3 ? Promise.reject(new StoreUnavailable('restarted')) : Promise.resolve('lgn_1')
    const { events, session } = await openSession(localSessionsWith({ vault: { save } }))
    await turns(() => pages.length === 1)
    pages[0]?.signedIn(STATE)
    await session.ended
    expect([tries, failed(events)]).toEqual([3, { type: 'done' }])
  })

  test('when the login was deleted in the meantime', async () => {
    isDeleted = true
    const { events, session } = await openSession(localSessionsWith())
    await turns(() => pages.length === 1)
    pages[0]?.signedIn(STATE)
    await session.ended
    expect(failed(events)).toBe('withdrawn')
  })

  test('when its time limit passes, also while it waits', async () => {
    const localSessions = localSessionsWith()
    const one = await openSession(localSessions, 30)
    const two = await openSession(localSessions, 20, OTHER)
    await Promise.all([one.session.ended, two.session.ended])
    expect([failed(one.events), failed(two.events)]).toEqual(['expired', 'expired'])
    expect(pages.every(({ closed }) => closed)).toBe(true)
    expect(saved).toEqual([])
  })

  test('when its time limit passes during a check of its link, which is gone then', async () => {
    let time = Date.now()
    const find = async () => {
      time += 120_000
      return undefined
    }
    const close = async () => {}
    const { events, session } = await openSession(
      localSessionsWith({ now: () => time, signInLinks: { find, close } }),
    )
    await session.ended
    expect(failed(events)).toBe('expired')
  })

  test('when nobody attends it, both inside and in the queue', async () => {
    const localSessions = localSessionsWith({ abandonedMs: 50 })
    const [one, two] = [await openSession(localSessions), await openSession(localSessions, undefined, OTHER)]
    await Promise.all([one.session.ended, two.session.ended])
    expect([failed(one.events), failed(two.events)]).toEqual(['abandoned', 'abandoned'])
    expect(pages.every(({ closed }) => closed)).toBe(true)
    expect(await signInLinks.find(one.id, Date.now())).toBeUndefined()
  })

  test('when its link is withdrawn', async () => {
    const { events, session } = await openSession(localSessionsWith())
    await turns(() => pages.length === 1)
    await signInLinks.withdraw(ACCOUNT, 'site')
    await session.ended
    expect(failed(events)).toBe('withdrawn')
    expect(pages[0]?.closed).toBe(true)
  })

  test('and saves nothing when its link was withdrawn since the last check', async () => {
    const { events, session } = await openSession(localSessionsWith({ lookMs: 60_000 }))
    await turns(() => pages.length === 1)
    await signInLinks.withdraw(ACCOUNT, 'site')
    pages[0]?.signedIn(STATE)
    await session.ended
    expect([failed(events), saved, completed]).toEqual(['withdrawn', [], []])
  })

  test.each(['browser-ended', 'page-crashed', 'no-browser'] as const)(
    'when the browser reports %s',
    async (code) => {
      const { events, session } = await openSession(localSessionsWith())
      await turns(() => pages.length === 1)
      pages[0]?.fail(new SignInError(code))
      await session.ended
      expect(failed(events)).toBe(code)
    },
  )

  test('and uses up its link when the person ends it', async () => {
    const { id, events, session } = await openSession(localSessionsWith())
    await turns(() => pages.length === 1)
    session.close()
    await session.ended
    expect(failed(events)).toBe('closed')
    expect(pages[0]?.closed).toBe(true)
    await turns(() => true)
    expect(await signInLinks.open(id, 'another', Date.now())).toBe(false)
    await expect(session.send([{}])).rejects.toThrow(SignInError)
  })
})

describe('concurrent sign-ins', () => {
  test('are let in in order as slots become free, and are told how many are before them', async () => {
    const localSessions = localSessionsWith({ room: 2 })
    const all = await Promise.all(
      Array.from({ length: 4 }, (_, i) => openSession(localSessions, 60_000, `acc_${i}` as AccountId)),
    )
    const waits = () =>
      all.map(({ events }) =>
        events.filter(({ type }) => type === 'waiting').map((e) => 'before' in e && e.before),
      )
    await turns(() => pages.length === 2)
    expect(waits()).toEqual([[], [], [1], [2]])
    pages[0]?.signedIn(STATE)
    await turns(() => pages.length === 3)
    expect(waits()).toEqual([[], [], [1], [2, 1]])
    all[3]?.session.close()
    pages[1]?.signedIn(STATE)
    pages[2]?.signedIn(STATE)
    await Promise.all(all.map(({ session }) => session.ended))
    expect(pages).toHaveLength(3)
    const next = await openSession(localSessions)
    await turns(() => pages.length === 4)
    next.session.close()
    await next.session.ended
  })

  test('are all served if there are fifty, never more at once than there are slots', async () => {
    const localSessions = localSessionsWith({ room: 4 })
    const all = await Promise.all(
      Array.from({ length: 50 }, (_, i) => openSession(localSessions, 60_000, `acc_${i}` as AccountId)),
    )
    for (let served = 0; served < 50; served++) {
      await turns(() => pages.length > served)
      expect(pages.length - served).toBeLessThanOrEqual(4)
      pages[served]?.signedIn(STATE)
      await turns(() => saved.length === served + 1)
    }
    await Promise.all(all.map(({ session }) => session.ended))
    expect(all.every(({ events }) => events.at(-1)?.type === 'done')).toBe(true)
  })

  test(`beyond ${MOST_WAITING} waiting are refused as busy`, async () => {
    const localSessions = localSessionsWith()
    const all = []
    for (let i = 0; i <= MOST_WAITING + 1; i++)
      all.push(await openSession(localSessions, 60_000, `acc_${i}` as AccountId))
    const { events, session } = all.at(-1)!
    await session.ended
    expect(events.at(-1)).toMatchObject({ type: 'failed', code: 'busy' })
    for (const each of all) each.session.close()
    await Promise.all(all.map((each) => each.session.ended))
  })
})
