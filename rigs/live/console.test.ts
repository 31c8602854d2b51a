/**
 * The console in a real Chromium: from the setup link to an invited colleague, with live updates, by keyboard, without
 * scripts and on a phone; and every page checked by axe, in both themes and widths.
 */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'rebrowser-playwright'
import type { RunId, WebhookId } from '../../src/domain/ids.ts'
import { type House, PASSWORD } from '../../test/console/house.ts'
import { captureOf, SOURCE } from '../../test/console/operator/sources/capture.ts'
import { type ConsoleStage, openConsole, type SignedInState } from '../support/console-stage.ts'

setDefaultTimeout(60_000)
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let stage: ConsoleStage
let house: House
let origin: string
const open: ConsoleStage['open'] = (options) => stage.open(options)
/** The browser state of the person who set the instance up, for further contexts. */
let signedIn: SignedInState

beforeAll(async () => {
  stage = await openConsole({ SIGN_UP: 'open', WEBHOOK_ALLOW_HOSTS: '127.0.0.1', STATUS_PAGE: 'public' })
  ;({ house, origin } = stage)
})
afterAll(() => stage.close())
// An open page would keep following its account and rendering.
afterEach(() => stage.closePages())

const own = () => origin + house.own

test('the console leads from the setup link to a key, a live run, its items, and a colleague in another browser', async () => {
  const page = await open()
  await page.goto(await house.rooms.links.make({ kind: 'setup' }))
  await page.fill('#name', 'Ann')
  await page.fill('#email', 'ann@example.org')
  await page.fill('#password', PASSWORD)
  await page.click('button:has-text("Set up")')
  await page.waitForSelector('h2:has-text("First steps")')
  signedIn = await page.context().storageState()

  await page.goto(`${own()}/keys`)
  await page.click('summary:has-text("Create a key")')
  await page.fill('#name', 'nightly')
  await page.click('button:has-text("Create key")')
  expect(await page.textContent('copy-text code')).toMatch(/^gln_/)

  const list = await open({ storageState: signedIn })
  await list.goto(`${own()}/runs`)
  await list.waitForSelector('text=There are no runs yet.')

  await page.goto(`${own()}/tasks/sample.search`)
  await page.fill('[name="in.query"]', 'otter')
  await page.click('button:has-text("Run for")')
  await page.waitForURL(/\/runs\/run_/)
  expect(await page.textContent('#state .badge')).toBe('queued')
  const run = page.url().split('/').at(-1)!
  // The list was empty when it was opened, and announces its first run.
  await list.click('.news button:has-text("Show 1 new")')
  await list.waitForSelector(`#row-${run}`)
  await house.service.start(run)
  await page.waitForSelector('#state .badge:has-text("running")')
  await house.service.finish(run, { items: [{ id: '1' }, { id: '2' }] })
  // The page was not reloaded: its parts were updated in place.
  await page.waitForSelector('#state .badge:has-text("succeeded")')
  expect(await page.locator('#result tbody tr').count()).toBe(2)
  expect(await page.locator('button:has-text("Cancel")').count()).toBe(0)
  const download = page.waitForEvent('download')
  await page.click('summary:has-text("Download")')
  await page.click('text=Download CSV')
  expect((await download).suggestedFilename()).toBe(`${run}.csv`)

  await page.goto(`${own()}/members`)
  await page.click('summary:has-text("Invite somebody")')
  await page.fill('#email', 'ben@example.org')
  await page.click('button:has-text("Invite")')
  const link = (await page.textContent('copy-text code'))!
  const colleague = await open({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
  await colleague.goto(link)
  await colleague.fill('#name', 'Ben')
  await colleague.fill('#password', PASSWORD)
  await colleague.click('button:has-text("Join")')
  await colleague.waitForSelector('nav')
  await colleague.goto(`${own()}/runs/${run}`)
  expect(await colleague.textContent('#state .badge')).toBe('succeeded')
  expect(stage.complaints).toEqual([])
})

test('an invalid field has the border of errors', async () => {
  const page = await open({ storageState: signedIn })
  await page.goto(`${own()}/members`)
  await page.click('summary:has-text("Invite somebody")')
  await page.fill('#email', 'ann@example..org')
  await page.evaluate(() => document.querySelector('form[action$="/invite"]')!.setAttribute('novalidate', ''))
  await page.click('button:has-text("Invite")')
  const [border, text] = await page.evaluate(() => [
    getComputedStyle(document.querySelector('#email')!).borderTopColor,
    getComputedStyle(document.querySelector('#email-error')!).color,
  ])
  expect(border!).toBe(text!)
})

test('a live page goes on after the service refused its stream, and leads to the sign-in once the session has ended', async () => {
  const page = await open({ storageState: signedIn })
  let refusals = 0
  await page.route('**/changes*', (route) =>
    refusals++ === 0 ? route.fulfill({ status: 503, body: 'restarting' }) : route.continue(),
  )
  const begin = async () => {
    await page.goto(`${own()}/tasks/sample.search`)
    const opened = page.waitForResponse((answer) => answer.url().includes('/changes') && answer.ok())
    // The page reads itself again when its stream opens: a run that ends before that is complete, and followed no more.
    const read = page.waitForResponse(
      (answer) => answer.request().resourceType() === 'xhr' && answer.url().includes('/runs/run_'),
    )
    await page.click('button:has-text("Run for")')
    await page.waitForURL(/\/runs\/run_/)
    await opened
    await (await read).finished()
    return page.url().split('/').at(-1)!
  }
  await house.service.finish(await begin())
  await page.waitForSelector('#state .badge.good')
  const run = await begin()
  await page.context().clearCookies()
  await house.service.finish(run)
  await page.waitForSelector('h1:has-text("Sign in")')
  expect(page.url()).toContain(encodeURIComponent(run))
})

test('a download once the session has ended leads to the sign-in, and is no file with that page', async () => {
  const page = await open({ storageState: signedIn })
  await page.goto(`${own()}/credits`)
  await page.context().clearCookies()
  await page.click('text=Download CSV')
  await page.waitForSelector('h1:has-text("Sign in")')
})

test('on a phone the entry of the current page is in view, and no other row of the navigation is shifted', async () => {
  const page = await open({ storageState: signedIn, viewport: { width: 360, height: 740 } })
  await page.goto(`${own()}/settings`)
  const entry = (await page.locator('nav [aria-current]').boundingBox())!
  expect(entry.x + entry.width).toBeLessThanOrEqual(360)
  expect((await page.locator('nav h2').boundingBox())!.x).toBeGreaterThan(0)
})

test('a double click sends a form once', async () => {
  const page = await open({ storageState: signedIn })
  await page.goto(`${own()}/members`)
  const sent = await page.evaluate(() => {
    let count = 0
    addEventListener('submit', (event) => {
      count += event.defaultPrevented ? 0 : 1
      event.preventDefault()
    })
    const form = document.querySelector<HTMLFormElement>('form[action$="/members/invite"]')!
    form.email.value = 'twice@example.org'
    form.requestSubmit()
    form.requestSubmit()
    const once = count
    dispatchEvent(new Event('pageshow'))
    form.requestSubmit()
    return [once, count]
  })
  expect(sent).toEqual([1, 2])
})

test('a list updates its rows in place, and announces new ones', async () => {
  const page = await open({ storageState: signedIn })
  await page.goto(`${own()}/tasks/sample.search`)
  await page.fill('[name="in.query"]', 'first')
  await page.click('button:has-text("Run for")')
  await page.waitForURL(/\/runs\/run_/)
  const first = page.url().split('/').at(-1)!
  const list = await open({ storageState: signedIn })
  await list.goto(`${own()}/runs`)
  expect(await list.textContent(`#row-${first} .badge`)).toBe('queued')
  await house.service.finish(first, { items: [{ id: '1' }] })
  await list.waitForSelector(`#row-${first} .badge:has-text("succeeded")`)
  await page.goto(`${own()}/tasks/sample.search`)
  await page.fill('[name="in.query"]', 'second')
  await page.click('button:has-text("Run for")')
  await page.waitForURL(/\/runs\/run_/)
  const second = page.url().split('/').at(-1)!
  await list.waitForSelector('.news button:has-text("Show 1 new")')
  expect(await list.locator(`#row-${second}`).count()).toBe(0)
  await list.click('.news button')
  await list.waitForSelector(`#row-${second}`)
})

test('a list whose filter matches nothing announces the first run that it matches', async () => {
  const list = await open({ storageState: signedIn })
  await list.goto(`${own()}/runs?status=failed`)
  await list.waitForSelector('text=No run matches.')
  const page = await open({ storageState: signedIn })
  await page.goto(`${own()}/tasks/sample.search`)
  await page.fill('[name="in.query"]', 'fails')
  await page.click('button:has-text("Run for")')
  await page.waitForURL(/\/runs\/run_/)
  const run = page.url().split('/').at(-1)!
  await house.service.finish(run, { status: 'failed', code: 'bad-input', detail: 'too long' })
  await list.click('.news button:has-text("Show 1 new")')
  await list.waitForSelector(`#row-${run} .badge:has-text("failed")`)
})

test('the console works by keyboard alone: skip link, shortcuts to pages, search, tabs and form', async () => {
  const page = await open({ storageState: signedIn })
  await page.goto(own())
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the page')
  await page.keyboard.press('g')
  await page.keyboard.press('t')
  await page.waitForURL(/\/tasks$/)
  await page.keyboard.press('/')
  await page.keyboard.type('sample')
  await page.keyboard.press('Enter')
  await page.waitForURL(/q=sample/)
  await page.goto(`${own()}/tasks/sample.search`)
  await page.focus('[role="tab"][aria-selected="true"]')
  await page.keyboard.press('ArrowRight')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('JSON')
  expect(await page.isVisible('[name="json"]')).toBe(true)
  await page.keyboard.press('ArrowLeft')
  await page.focus('[name="in.query"]')
  await page.keyboard.type('by keyboard')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/runs\/run_/)
  await page.focus('button:has-text("Cancel")')
  await page.keyboard.press('Enter')
  await page.waitForSelector('#state .badge:has-text("cancelled")')
})

test('sign-up, keys, a refused run and sign-out work without scripts', async () => {
  const page = await open({ javaScriptEnabled: false })
  await page.goto(`${origin}/console/sign-up`)
  await page.fill('#name', 'Nora')
  await page.fill('#email', 'nora@example.org')
  await page.fill('#password', PASSWORD)
  await page.click('button:has-text("Create account")')
  await page.waitForSelector('.lead:has-text("My account")')
  const base = page.url()
  // The first steps fit on a phone.
  await page.setViewportSize({ width: 360, height: 740 })
  expect((await page.locator('.steps pre').boundingBox())!.width).toBeLessThan(360)
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto(`${base}/keys`)
  await page.click('summary:has-text("Create a key")')
  await page.fill('#name', 'n')
  await page.click('button:has-text("Create key")')
  expect(await page.textContent('.made code')).toMatch(/^gln_/)
  await page.click('summary:has-text("Revoke")')
  await page.click('.question[open] button:has-text("Revoke")')
  await page.waitForSelector('.badge:has-text("revoked")')
  await page.goto(`${base}/tasks/sample.search`)
  expect(await page.isVisible('[name="json"]')).toBe(true)
  await page.fill('[name="in.query"]', 'otter')
  await page.click('button:has-text("Run for")')
  // Without credits, the form says so and keeps its values.
  await page.waitForSelector('[role="alert"]:has-text("fewer credits")')
  expect(await page.inputValue('[name="in.query"]')).toBe('otter')
  await page.click('button:has-text("Sign out")')
  await page.waitForSelector('h1:has-text("Sign in")')
})

describe('axe finds no serious violation', () => {
  const sizes = { wide: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } }
  // Themes and widths are independent: a theme only changes colours. So each page is checked in two of the four looks
  // by turns, and the parts that all pages share in all four.
  const looks = [
    ['wide light', 'phone dark'],
    ['wide dark', 'phone light'],
  ] as const
  let turn = 0
  test('on any page, in both themes and widths', async () => {
    // Otherwise axe would judge colours in the middle of a transition.
    const page = await open({ storageState: signedIn, reducedMotion: 'reduce' })
    const name = 'x'.repeat(100)
    const cause = { correlationId: 'test', causationId: 'test', accountId: house.accountId }
    await house.service.deps.accounts.handle({ type: 'rename', accountId: house.accountId, name }, cause)
    const run = await hostileRun(page)
    const webhook = await failingWebhook()
    const capture = await captureOf(house, run.split('/').at(-1) as RunId, 'source-changed')
    const paths = [
      ...[
        '',
        '/tasks',
        '/tasks/sample.search',
        '/runs',
        '/keys',
        '/credits',
        '/credits?days=90&by=key',
        '/logins',
        '/webhooks',
        '/members',
        '/settings',
        '/search?q=sample',
      ].map((path) => house.own + path),
      run,
      webhook,
      '/console/me',
      '/console/operator',
      '/console/operator/people',
      '/console/operator/sources',
      SOURCE,
      capture,
      '/status',
      `/console/operator/accounts/${house.accountId}`,
      '/console/nothing',
    ]
    for (const path of paths)
      expect({ path, violations: await axe(page, origin + path) }).toEqual({ path, violations: [] })
    const nobody = await open({ reducedMotion: 'reduce' })
    const link = await house.rooms.links.make({
      kind: 'reset',
      issuer: null,
      personId: (await house.rooms.people.idOf('ben@example.org'))!,
    })
    for (const path of [`${origin}/console/sign-in`, `${origin}/console/sign-up`, `${origin}/status`, link])
      expect({ path, violations: await axe(nobody, path) }).toEqual({ path, violations: [] })
  }, 300_000)

  /** A run whose items are as long and hostile, and have as many columns, as a source can make them. */
  async function hostileRun(page: Page): Promise<string> {
    await page.goto(`${own()}/tasks/sample.album`)
    await page.fill('[name="in.pictures"]', '2')
    await page.click('button:has-text("Run for")')
    await page.waitForURL(/\/runs\/run_/)
    const path = new URL(page.url()).pathname
    const picture = {
      picture_url: `https://example.org/${'long-path/'.repeat(20)}`,
      description_of_the_picture: 'x'.repeat(10_000),
      name_of_the_photographer: '\u202Eevil\u2066 <img src=x onerror=alert(1)>',
      place_where_it_was_taken: '<script>alert(1)</script>',
      number_of_visitors_a_day: 1e300,
      camera_and_its_settings: null,
      licence_of_the_picture: 'javascript:alert(1)',
    }
    await house.service.finish(path.split('/').at(-1)!, {
      items: [
        { id: '1', ...picture },
        { id: 'i'.repeat(500), ...picture, picture_url: 'javascript:alert(1)' },
      ],
    })
    await page.goto(origin + path)
    await page.waitForSelector('#result tbody tr')
    expect(await page.locator('#result img, #result script, #result a[href^="javascript"]').count()).toBe(0)
    return path
  }

  /** A webhook whose endpoint does not answer, with a delivery that failed. */
  async function failingWebhook(): Promise<string> {
    const { webhooks } = house.service.deps
    const url = `https://127.0.0.1:1/${'a-long-path/'.repeat(20)}`
    const cause = { correlationId: 'test', causationId: 'test', now: Date.now() }
    const { record } = await webhooks.create(house.accountId, { url, description: 'x'.repeat(200) }, cause)
    const event = (await house.service.events()).at(-1)!
    await webhooks.replay(house.accountId, record.webhook_id as WebhookId, { event_id: event.id })
    return `${house.own}/webhooks/${record.webhook_id}`
  }

  /** The faults of a page, in one look for each theme and width. */
  async function axe(page: Page, url: string): Promise<string[]> {
    await page.goto(url)
    await page.evaluate(AXE)
    const wrong: string[] = []
    for (const look of looks[turn++ % looks.length]!) {
      const [size, colorScheme] = look.split(' ') as ['wide' | 'phone', 'light' | 'dark']
      await page.setViewportSize(sizes[size])
      await page.emulateMedia({ colorScheme })
      const sideways = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      if (sideways > 0) wrong.push(`${look}: it is ${sideways} px too wide`)
      const report = (await page.evaluate(`axe.run(document, { resultTypes: ['violations'] })`)) as {
        violations: { id: string; impact: string; nodes: { html: string }[] }[]
      }
      const serious = report.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
      for (const { id, nodes } of serious) wrong.push(`${look}: ${id}: ${nodes[0]?.html.slice(0, 160)}`)
    }
    return wrong
  }
})
