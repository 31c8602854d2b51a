/** What the pages of the console do in a real Chromium: live rows, the two views of an input, days, words and keys. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { House } from '../../test/console/house.ts'
import { type ConsoleStage, openConsole, type SignedInState } from '../support/console-stage.ts'

setDefaultTimeout(60_000)
let stage: ConsoleStage
let house: House
let origin: string
let signedIn: SignedInState
const open: ConsoleStage['open'] = (options) => stage.open(options)
const own = () => origin + house.own

beforeAll(async () => {
  stage = await openConsole()
  ;({ house, origin } = stage)
  signedIn = await stage.setUp()
})
afterAll(() => stage.close())
// An open page would keep following its account and rendering.
afterEach(() => stage.closePages())

test('the announcement of new rows moves no row, is in view, and leads to them from wherever the page was scrolled', async () => {
  const page = await open({ storageState: signedIn, viewport: { width: 1280, height: 300 } })
  const start = async () => {
    await page.goto(`${own()}/tasks/sample.search`)
    await page.click('button:has-text("Run for")')
    await page.waitForURL(/\/runs\/run_/)
    return page.url().split('/').at(-1)!
  }
  for (let n = 0; n < 12; n++) await start()
  const list = await open({ storageState: signedIn, viewport: { width: 1280, height: 300 } })
  await list.goto(`${own()}/runs`)
  await list.evaluate(() => scrollTo(0, 400))
  const top = () => list.evaluate(() => document.querySelector('tbody tr')!.getBoundingClientRect().top)
  const before = await top()
  const run = await start()
  await list.waitForSelector('.news button')
  expect(await top()).toBe(before)
  const { y = -1 } = (await list.locator('.news button').boundingBox()) ?? {}
  expect(y).toBeGreaterThan(0)
  await list.bringToFront()
  await list.click('.news button')
  await list.waitForSelector(`#row-${run}`)
  await list.waitForFunction(() => scrollY === 0)
})

test('the form and the JSON of a task show one input, and an empty required field does not hold up the JSON', async () => {
  const page = await open({ storageState: signedIn })
  await page.goto(`${own()}/tasks/sample.search`)
  const tab = (name: string) => page.click(`[role="tab"]:has-text("${name}")`)
  await page.fill('[name="in.query"]', 'typed')
  await tab('JSON')
  expect(JSON.parse(await page.inputValue('[name="json"]'))).toEqual({ query: 'typed' })
  await page.fill('[name="json"]', '{"query": "as JSON", "limit": 3}')
  await tab('Form')
  expect([await page.inputValue('[name="in.query"]'), await page.inputValue('[name="in.limit"]')]).toEqual([
    'as JSON',
    '3',
  ])
  await page.fill('[name="in.query"]', '')
  await tab('JSON')
  await page.fill('[name="json"]', '{"limit": 3}')
  await page.fill('[name="json"]', '{"query": "only JSON"')
  await page.click('button:has-text("Run this JSON")')
  await page.waitForSelector('#json-error')
  await page.fill('[name="json"]', '{"query": "only JSON"}')
  await page.click('button:has-text("Run this JSON")')
  await page.waitForURL(/\/runs\/run_/)
  expect(await page.textContent('copy-text code')).toContain('only JSON')
})

test('a reload after a key was created makes no second one and does not ask', async () => {
  const page = await open({ storageState: signedIn })
  await page.goto(`${own()}/keys`)
  const rows = () => page.locator('tbody tr').count()
  const before = await rows()
  await page.click('summary:has-text("Create a key")')
  await page.fill('#name', 'reloaded')
  await page.click('button:has-text("Create key")')
  await page.waitForSelector('.made')
  await page.reload()
  expect([await rows(), await page.locator('.made').count(), page.url()]).toEqual([
    before + 1,
    0,
    `${own()}/keys`,
  ])
})

test('times and days of filters are those of the browser', async () => {
  const page = await open({ storageState: signedIn, timezoneId: 'Pacific/Kiritimati' })
  await page.goto(`${own()}/runs`)
  await page.reload()
  expect(await page.textContent('main')).toContain('time zone Pacific/Kiritimati')
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Pacific/Kiritimati' }).format(
    house.service.deps.now(),
  )
  const all = await page.locator('tbody tr').count()
  await page.fill('#from', day)
  await page.fill('#to', day)
  await page.click('button:has-text("Filter")')
  await page.waitForURL(/from=/)
  expect(await page.locator('tbody tr').count()).toBe(all)
})

test('words of a table stay whole', async () => {
  const page = await open({ storageState: signedIn, viewport: { width: 900, height: 900 } })
  for (const path of [own(), `${own()}/runs`, `${origin}/console/operator/people`, `${own()}/members`]) {
    await page.goto(path)
    const broken = await page.evaluate(() => {
      const words: string[] = []
      for (const cell of document.querySelectorAll('td')) {
        const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
        for (let node = walker.nextNode(); node; node = walker.nextNode())
          if (node.parentElement?.checkVisibility())
            for (const { 0: word, index } of (node.textContent ?? '').matchAll(/[^\s-]+/g)) {
              const range = document.createRange()
              range.setStart(node, index)
              range.setEnd(node, index + word.length)
              if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1)
                words.push(word)
            }
      }
      return words
    })
    expect({ path, broken }).toEqual({ path, broken: [] })
  }
})

test('the slash focuses the search of the page, or that of the account, and Escape closes a confirmation', async () => {
  const page = await open({ storageState: signedIn })
  await page.goto(`${own()}/members`)
  await page.click('summary:has-text("Remove")')
  expect(await page.locator('.question[open]').count()).toBe(1)
  await page.keyboard.press('Escape')
  expect(await page.locator('.question[open]').count()).toBe(0)
  await page.keyboard.press('/')
  const focused = () => page.evaluate(() => document.activeElement?.closest('form')?.className)
  expect(await focused()).toBe('find')
  await page.goto(`${own()}/runs`)
  await page.keyboard.press('/')
  expect(await page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true)
})

test('the reference says when no call matches its filter', async () => {
  const page = await open()
  await page.goto(`${origin}/docs`)
  await page.fill('#filter', 'nothing of the kind')
  await page.waitForSelector('#no-match:visible')
  await page.fill('#filter', 'cancel')
  expect(await page.isVisible('#no-match')).toBe(false)
})
