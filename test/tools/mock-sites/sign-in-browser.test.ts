/** The sign-in of a mock site in a real browser, driven as by a person at the hosted page. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { until } from '../../../rigs/servers/processes.ts'
import { type SignInSite, startSignInSite } from '../../../rigs/servers/sign-in-site.ts'
import { ANNOYANCES } from '../../../rigs/support/annoyances.ts'
import { findChromium } from '../../../src/browser/chromium/find.ts'
import { Browsers } from '../../../src/browser/host/browsers.ts'
import { defineSource } from '../../../src/plugin.ts'
import type { SignInPage } from '../../../src/signin/browser/page.ts'
import { Person, SessionEvents, VIEWPORT } from '../../signin/browser/person.ts'

setDefaultTimeout(60_000)

const source = defineSource({
  name: 'lamps',
  title: 'Lamps',
  origin: 'https://lamps.example',
  login: { url: '/in', signedIn: { cookies: ['session', 'token'] } },
  tasks: [],
})
const login = source.login!
const ann = { name: 'ann', password: 'pässword 1', code: '123456' }
const executable = findChromium(null)

describe.skipIf(executable === undefined)('a person', () => {
  let plain: SignInSite
  let annoying: SignInSite
  let all: { readonly plain: Browsers; readonly annoying: Browsers }
  const open: SignInPage[] = []
  beforeAll(async () => {
    plain = await startSignInSite({ source, users: [ann], exchanges: [{ request: '/home', body: 'home' }] })
    annoying = await startSignInSite({ source, users: [ann], extra: ANNOYANCES })
    const browsersOf = (origin: string) =>
      new Browsers({
        executable: () => executable,
        origins: { lamps: origin },
        most: 2,
        onFailure: () => {},
      })
    all = { plain: browsersOf(plain.origin), annoying: browsersOf(annoying.origin) }
  })
  afterEach(() => Promise.all(open.splice(0).map((signIn) => signIn.close())))
  afterAll(async () => {
    await Promise.all([all.plain.stop(), all.annoying.stop()])
    await Promise.all([plain.stop(), annoying.stop()])
  })

  async function at(browsers: Browsers) {
    const events = new SessionEvents()
    const signIn = await browsers.signIn({
      site: source,
      login,
      viewport: VIEWPORT,
      exit: null,
      onEvent: events.onEvent,
    })
    open.push(signIn)
    await events.label('User name')
    return { events, signIn, person: new Person(signIn) }
  }
  type Opened = Awaited<ReturnType<typeof at>>

  /**
   * Fills a field and continues. Repeats it when the site asks again, or when nothing happens for 3 s, because a dialog
   * swallows keys.
   */
  async function enter({ events, person }: Opened, label: string, fill: () => void, isNext: () => boolean) {
    for (let isDone = false; !isDone; ) {
      const before = events.events.length
      fill()
      person.key('Enter', 0, 'Enter')
      const asksAgain = () =>
        events.events
          .slice(before)
          .some((event) => event.type === 'focus' && event.focus?.label === `${label}, again`)
      const patience = performance.now() + 3000
      await until(() => isNext() || asksAgain() || performance.now() > patience)
      isDone = isNext()
    }
  }

  async function walk(opened: Opened) {
    const { events, person, signIn } = opened
    const isAt = (label: string) => () => events.last('focus')?.focus?.label === label
    let isOver = false
    const over = () => {
      isOver = true
    }
    signIn.outcome.then(over, over)
    await enter(opened, 'User name', () => person.type('ann'), isAt('Password'))
    await enter(opened, 'Password', () => person.text(ann.password), isAt('Code of six digits'))
    await enter(
      opened,
      'Code of six digits',
      () => person.type(ann.code),
      () => isOver,
    )
  }

  test('signs in, and the cookies and all storage of the site are saved', async () => {
    const opened = await at(all.plain)
    await opened.events.title('Sign in to Lamps')
    expect(opened.events.last('address')).toMatchObject({ url: 'https://lamps.example/in' })
    await walk(opened)
    const { state, validUntil } = await opened.signIn.outcome
    const { cookies, origins } = JSON.parse(state)
    expect(cookies.map(({ name, domain }: { name: string; domain: string }) => [name, domain])).toEqual([
      ['session', 'lamps.example'],
      ['token', 'lamps.example'],
    ])
    expect([origins.length, origins[0].origin, validUntil]).toEqual([1, 'https://lamps.example', null])
    const names = (list: { name: string }[]) => list.map(({ name }) => name).sort()
    expect(names(origins[0].localStorage)).toEqual(['device', 'theme'])
    expect(names(origins[0].indexedDB)).toEqual(['mock-site'])
    expect(plain.sessions).toBe(1)
  })

  test('can try again after the page has refused a user name', async () => {
    const opened = await at(all.plain)
    const { events, person } = opened
    person.type('nobody')
    person.key('Enter', 0, 'Enter')
    await events.label('User name, again')
    await walk(opened)
    await opened.signIn.outcome
  })

  test('signs in through an annoying page, and gets a notice of each blocked feature', async () => {
    const opened = await at(all.annoying)
    const { events } = opened
    await until(() =>
      ['popup', 'dialog', 'print', 'left-hosts'].every((code) => events.notices().includes(code)),
    )
    await walk(opened)
    await opened.signIn.outcome
    const titles = events.events.flatMap((event) => (event.type === 'address' ? [event.title] : []))
    expect(titles.join(' ')).not.toMatch(/\((?:yes|told|here|seen)\)/)
  })
})
