/**
 * The items of a run in a real Chromium: the table, the panel beside it, a run that works, without scripts, on a phone,
 * and checked by axe.
 */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'rebrowser-playwright'
import type { RunId } from '../../src/domain/ids.ts'
import { Collected } from '../../src/worker/collected.ts'
import type { House } from '../../test/console/house.ts'
import { type ConsoleStage, openConsole, type SignedInState } from '../support/console-stage.ts'

setDefaultTimeout(60_000)
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const PHONE = { width: 390, height: 844 }

let stage: ConsoleStage
let house: House
let origin: string
let signedIn: SignedInState
const open: ConsoleStage['open'] = (options) => stage.open({ storageState: signedIn, ...options })

beforeAll(async () => {
  stage = await openConsole()
  ;({ house, origin } = stage)
  signedIn = await stage.setUp()
})
afterAll(() => stage.close())
afterEach(() => stage.closePages())

const lamps = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    id: String(n + 1),
    title: `Desk lamp ${n + 1} with a long name that no column has the room for, as sellers write them`,
    price: n + 0.5,
    seen_at: '2026-11-28T10:00:00Z',
    url: `https://lamps.example/items/${n + 1}`,
    seller: { login: 'ann', rating: { stars: 5 } },
    brand: null,
    watts: n * 10,
    shop: `Shop ${n}`,
  }))

const hostile = {
  title: '\u202Eevil\u2066 <img src=x onerror=alert(1)> '.repeat(20),
  ...Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [`a_field_with_the_number_${n}`, '🦦שלום'.repeat(100)]),
  ),
  links: Array.from({ length: 30 }, (_, n) => `https://lamps.example/${'path/'.repeat(40)}${n}.jpg`),
  deep: { a: [{ b: { c: [1, [2, [3]]] } }] },
}

/** Starts a run. @returns the address of its page */
async function start(page: Page): Promise<string> {
  await page.goto(`${origin}${house.own}/tasks/sample.search`)
  await page.fill('[name="in.query"]', 'lamp')
  await page.click('button:has-text("Run for")')
  await page.waitForURL(/\/runs\/run_/)
  return page.url()
}

/** Opens the page of a run that ended with these items. @returns its address */
async function openRun(page: Page, items: readonly object[]): Promise<string> {
  const address = await start(page)
  await house.service.finish(address.split('/').at(-1)!, { items: items as never })
  await page.goto(address)
  return address
}

const violations = async (page: Page): Promise<string[]> => {
  await page.evaluate(AXE)
  const { violations } = await page.evaluate(() =>
    // @ts-expect-error: axe is added above
    axe.run(
      { include: [...document.querySelectorAll('main, .item-panel')] },
      { resultTypes: ['violations'] },
    ),
  )
  return violations
    .filter(({ impact }: { impact: string }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes[0]?.html}`)
}

const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

test('a row opens its item in a panel; arrow keys go on, Escape closes it, and the focus returns to the row', async () => {
  const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
  await openRun(page, lamps(60))
  await page.click('#item-2 td:nth-child(3)')
  await page.waitForSelector('.item-panel[open] h2:has-text("Desk lamp 2 ")')
  expect(await page.textContent('.item-panel .hint')).toContain('Item 2 of 60')
  await page.keyboard.press('ArrowDown')
  await page.waitForSelector('.item-panel h2:has-text("Desk lamp 3 ")')
  expect(await page.getAttribute('#item-3', 'aria-current')).toBe('true')

  const seller = page.locator('.item-panel dd[data-field="seller"]')
  await seller.hover()
  await seller.locator('.copy').click()
  await seller.locator('.copy:has-text("Copied")').waitFor()
  expect(JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))).toEqual(lamps(1)[0]!.seller)

  await page.keyboard.press('Escape')
  expect(await page.locator('.item-panel[open]').count()).toBe(0)
  expect(await page.evaluate(() => document.activeElement?.closest('tr')?.id)).toBe('item-3')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.item-panel[open] h2:has-text("Desk lamp 2 ")')
  // A click on another row changes the item.
  await page.click('#item-1 td:nth-child(2)')
  await page.waitForSelector('.item-panel h2:has-text("Desk lamp 1 ")')
})

test('the table is copied as a spreadsheet takes it', async () => {
  const page = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
  await openRun(page, [{ title: '=1+1', price: 1234.5, currency: 'GBP' }])
  await page.click('text=Copy table')
  await page.waitForSelector('text=Copied')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toStartWith(
    "Title\tPrice, GBP\tCurrency\r\n'=1+1\t1234.5\tGBP",
  )
})

test('each item has one line, and the head and the first column stay in sight', async () => {
  const page = await open({ viewport: { width: 1000, height: 700 } })
  const address = await openRun(page, lamps(60))
  await page.goto(`${address}?columns=*`)
  const heights = await page.evaluate(() =>
    [...document.querySelectorAll('.items-table tbody tr')].map((row) => row.getBoundingClientRect().height),
  )
  expect(Math.max(...heights)).toBeLessThan(45)
  const at = () =>
    page.evaluate(() => {
      const box = (selector: string) => document.querySelector(selector)!.getBoundingClientRect()
      const region = box('.items-scroll')
      return {
        top: Math.round(box('.items-table th').top - region.top),
        left: Math.round(box('#item-40 td').left - region.left),
        height: region.height,
      }
    })
  const before = await at()
  await page.evaluate(() => document.querySelector('.items-scroll')!.scrollTo(300, 400))
  expect(await at()).toEqual(before)
  expect(before.height).toBeLessThan(700)
  expect(await overflow(page)).toBe(0)
})

test('items of a run that works appear below the others, which stay where they are, and are final at its end', async () => {
  const page = await open({ viewport: { width: 1280, height: 600 } })
  const address = await start(page)
  const id = address.split('/').at(-1) as RunId
  const collected = new Collected()
  const add = (items: readonly object[]) =>
    collected.add({ text: items.map((item) => JSON.stringify(item)).join(), count: items.length })
  const { runId, accountId, attempt } = await house.service.start(id)
  add(lamps(20))
  house.stores.liveItems.share({ runId, accountId, attempt }, collected)
  await page.waitForSelector('#item-20')
  expect(await page.textContent('#items-count')).toContain('The run is still working.')
  await page.evaluate(() => document.querySelector('.items-scroll')!.scrollTo(0, 120))
  const place = () => page.evaluate(() => document.getElementById('item-10')!.getBoundingClientRect().top)
  const before = await place()
  add(lamps(30).slice(20))
  await page.waitForSelector('#item-30')
  expect(await place()).toBe(before)
  await house.service.finish(id, { items: lamps(40) })
  await page.waitForSelector('#item-40')
  await page.waitForFunction(() => !document.querySelector('#items-count')!.textContent!.includes('so far'))
})

test('without scripts, columns, order, filter, items and nested values all work', async () => {
  const page = await open({ javaScriptEnabled: false })
  await openRun(page, lamps(60))
  await page.click('summary:has-text("Columns")')
  const checked = page.locator('.items-columns input:checked')
  while ((await checked.count()) > 0) await checked.first().uncheck()
  await page.check('.items-columns input[value="title"]')
  await page.check('.items-columns input[value="watts"]')
  await page.click('button:has-text("Show these")')
  expect(page.url()).toContain('columns=title,watts')
  await page.click('th a:has-text("Watts")')
  await page.click('th a:has-text("Watts")')
  expect(await page.textContent('.items-table tbody tr td:nth-child(3)')).toBe('490')
  await page.fill('#find', 'lamp 17 ')
  await page.click('button:has-text("Filter")')
  expect(await page.locator('.items-table tbody tr').count()).toBe(1)
  await page.click('.items-table .n a')
  expect(await page.textContent('h1')).toContain('Desk lamp 17')
  await page.click('dd[data-field="seller"] details details summary')
  expect(await page.isVisible('dd[data-field="seller"] >> text=Stars')).toBe(true)
  await page.click('a:has-text("Next")')
  expect(await page.textContent('.lead')).toContain('Item 18 of 60')
})

test.each([
  ['light', { width: 1280, height: 900 }],
  ['dark', PHONE],
] as const)(
  'axe finds nothing serious, and nothing is wider than the window: %s',
  async (colorScheme, viewport) => {
    const page = await open({ colorScheme, viewport, reducedMotion: 'reduce' })
    const address = await openRun(page, [...lamps(55), hostile])
    for (const path of ['', '?columns=*&sort=-title', '?find=nothing', '?from=50', '/items/1', '/items/56']) {
      await page.goto(address + path)
      expect({ path, violations: await violations(page), overflow: await overflow(page) }).toEqual({
        path,
        violations: [],
        overflow: 0,
      })
    }
    await page.goto(address)
    await page.click('#item-2 td:nth-child(2)')
    await page.waitForSelector('.item-panel[open]')
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    for (const menu of ['Columns', 'Download']) {
      await page.click(`summary:has-text("${menu}")`)
      expect({ menu, violations: await violations(page), overflow: await overflow(page) }).toEqual({
        menu,
        violations: [],
        overflow: 0,
      })
    }
    expect(stage.complaints).toEqual([])
  },
)
