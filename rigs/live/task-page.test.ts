/** The page of a task and the catalogue in a real Chromium: two views of one input, errors, tabs, search as one types. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'rebrowser-playwright'
import type { House } from '../../test/console/house.ts'
import { type ConsoleStage, openConsole, type SignedInState } from '../support/console-stage.ts'

setDefaultTimeout(60_000)
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let stage: ConsoleStage
let house: House
let signedIn: SignedInState
const task = (key: string) => `${stage.origin}${house.own}/tasks/${key}`

beforeAll(async () => {
  stage = await openConsole()
  ;({ house } = stage)
  signedIn = await stage.setUp()
})
afterAll(() => stage.close())
afterEach(() => stage.closePages())

const open = (options: object = {}) => stage.open({ storageState: signedIn, ...options })
const tab = (page: Page, name: string) => page.click(`[role="tab"]:has-text("${name}")`)
const jsonOn = async (page: Page) => JSON.parse(await page.inputValue('[name="json"]'))

test('a changed field changes its part of the JSON alone, and the JSON changes the fields', async () => {
  const page = await open()
  await page.goto(task('sample.search'))
  await tab(page, 'JSON')
  await page.fill('[name="json"]', '{"query": "x", "extra": {"deep": [1]}}')
  await tab(page, 'Form')
  expect(await page.inputValue('[name="in.query"]')).toBe('x')
  expect(await page.textContent('#as-form > .notice')).toContain('The form cannot show “extra” of the JSON.')
  await page.click('summary:has-text("More fields")')
  await page.fill('[name="in.limit"]', '7')
  expect(await jsonOn(page)).toEqual({ query: 'x', extra: { deep: [1] }, limit: 7 })
  await page.fill('[name="in.limit"]', '')
  expect(await jsonOn(page)).toEqual({ query: 'x', extra: { deep: [1] } })
  await tab(page, 'JSON')
  await page.fill('[name="json"]', '{"query": "y"')
  await page.waitForSelector('#json-error:has-text("Line 1, column 14: a } is missing at the end.")')
  expect(await page.isVisible('#as-form > .notice')).toBe(false)
  await tab(page, 'Form')
  expect(await page.textContent('#as-form > .notice')).toContain('The JSON is not complete.')
  await page.fill('[name="in.query"]', 'z')
  expect(await jsonOn(page)).toEqual({ query: 'z', extra: { deep: [1] } })
})

test('errors of JSON are a list with places and code, the same while one types and after sending', async () => {
  const page = await open()
  await page.goto(`${task('sample.search')}#as-json`)
  await page.fill('[name="json"]', '{\n  "limt": 1,\n  "limit": 0\n}')
  await page.waitForSelector('ul#json-error')
  const shown = () => page.innerHTML('#json-error')
  const typed = await shown()
  expect(typed).toContain('<li>Line 3, column 3: <code>limit</code> must be a whole number')
  await page.click('button:has-text("Run this JSON")')
  await page.waitForSelector('[role="alert"]:has-text("the JSON has errors")')
  expect(await shown()).toBe(typed)
  await page.fill('[name="json"]', '{"query": "otter", "a": 1, "b": 2}')
  await page.waitForSelector('ul#json-error:not(:has-text("limit"))')
  await page.waitForSelector('#as-form > .notice:has-text("leaves them out")', { state: 'attached' })
  await page.fill('[name="json"]', '{"query": "otter"}')
  await page.waitForSelector('#json-error', { state: 'detached' })
})

test('after an error, a changed field keeps the others, whatever the JSON was', async () => {
  const page = await open()
  await page.goto(task('sample.search'))
  await page.click('summary:has-text("More fields")')
  await page.fill('[name="in.limit"]', '7')
  await tab(page, 'JSON')
  await page.fill('[name="json"]', '{"query"')
  await page.click('button:has-text("Run this JSON")')
  await page.waitForSelector('[role="alert"]:has-text("the JSON has errors")')
  await tab(page, 'Form')
  expect(await page.textContent('#as-form > .notice')).toContain('The JSON is not complete.')
  await page.fill('[name="in.query"]', 'new')
  expect(await jsonOn(page)).toEqual({ query: 'new', limit: 7 })
})

test('price, errors and calls follow the input, and Format orders the JSON', async () => {
  const page = await open()
  await page.goto(task('sample.album'))
  await page.fill('[name="in.pictures"]', '2001')
  await page.waitForSelector('#as-form [data-price]:text-is("50 credits")')
  await page.waitForFunction(() => document.querySelector('#curl code')?.textContent?.includes('2001'))
  expect(await page.locator('[data-check]').count()).toBe(0)
  await tab(page, 'JSON')
  await page.fill('[name="json"]', '{"pictures":3000}')
  await page.click('button:has-text("Format")')
  expect(await page.inputValue('[name="json"]')).toBe('{\n  "pictures": 3000\n}')
  await page.fill('[name="json"]', '{"picture":3000}')
  await page.waitForSelector('#json-error:has-text("did you mean")')
  await page.fill('[name="json"]', '{"pictures":3000}')
  await page.waitForSelector('#json-error', { state: 'detached' })
  await tab(page, 'Python')
  await page.waitForFunction(() => document.querySelector('#python code')?.textContent?.includes('3000'))
  expect(await page.locator('#python [aria-busy="true"]').count()).toBe(0)
  await tab(page, 'JSON')
  await page.click('button:has-text("Run this JSON for 50 credits")')
  await page.waitForURL(/\/runs\/run_/)
})

test('all wrong fields are marked at once, also a folded one, and nothing is sent', async () => {
  const page = await open()
  await page.goto(task('sample.search'))
  await page.click('summary:has-text("More fields")')
  await page.fill('[name="in.limit"]', '0')
  await page.fill('[name="in.query"]', '')
  await page.click('summary:has-text("More fields")')
  await page.click('#as-form button[name="by"]')
  await page.waitForSelector('[id="in.query-error"]:has-text("Fill in this field.")')
  await page.waitForSelector('[id="in.limit-error"]:visible')
  expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('in.query')
  expect(page.url()).toBe(task('sample.search'))
  // The JSON is held up by none of this.
  await tab(page, 'JSON')
  await page.fill('[name="json"]', '{"query": "otter"}')
  await page.click('button:has-text("Run this JSON")')
  await page.waitForURL(/\/runs\/run_/)
})

test('the address keeps the tab, the tabs work by keyboard, and Copy covers no line', async () => {
  const page = await open({ viewport: { width: 1280, height: 400 } })
  await page.goto(`${task('sample.search')}#python`)
  await page.waitForSelector('#python:visible')
  expect(await page.evaluate(() => scrollY)).toBe(0)
  await page.focus('[role="tab"][aria-selected="true"]')
  await page.keyboard.press('ArrowLeft')
  expect(page.url()).toEndWith('#typescript')
  for (const id of ['curl', 'typescript', 'python']) {
    await tab(page, id === 'curl' ? 'curl' : id === 'python' ? 'Python' : 'TypeScript')
    const covered = await page.evaluate((section) => {
      const button = document.querySelector(`#${section} .copy`)!.getBoundingClientRect()
      const range = document.createRange()
      range.selectNodeContents(document.querySelector(`#${section} code`)!)
      return [...range.getClientRects()].some(
        (line) =>
          line.right > button.left &&
          line.left < button.right &&
          line.bottom > button.top &&
          line.top < button.bottom,
      )
    }, id)
    expect([id, covered]).toEqual([id, false])
  }
  await tab(page, 'Form')
  expect(page.url()).toBe(task('sample.search'))
})

test('without scripts, the button that was pressed says which view counts', async () => {
  const page = await open({ javaScriptEnabled: false })
  await page.goto(task('sample.album'))
  expect(await page.locator('tab-set > section > h2').allTextContents()).toEqual([
    'Form',
    'JSON',
    'curl',
    'TypeScript',
    'Python',
  ])
  await page.fill('[name="in.pictures"]', '2001')
  await page.click('#as-form button:has-text("Check the price")')
  expect(await page.textContent('[role="status"].notice')).toContain('costs 50 credits')
  await page.fill('[name="json"]', '{"pictures": 0}')
  await page.click('button:has-text("Run this JSON")')
  expect(await page.textContent('[role="alert"]')).toContain('Nothing was started: the JSON has errors.')
  expect(await page.textContent('#json-error')).toContain('pictures must be a whole number')
  await page.fill('[name="in.pictures"]', '5')
  await page.click('#as-form button:has-text("Run for")')
  expect(page.url()).toContain('/runs/run_')
})

test('the catalogue is searched while one types, by keyboard, and its address can be shared', async () => {
  const page = await open()
  await page.goto(`${stage.origin}${house.own}/tasks`)
  await page.focus('#q')
  await page.keyboard.type('albm')
  await page.waitForURL(/\?q=albm$/)
  await page.waitForFunction(() => document.querySelectorAll('.task-name').length === 1)
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('q')
  await page.reload()
  expect(await page.inputValue('#q')).toBe('albm')
  // The whole row leads to the task.
  const { x, y } = (await page.locator('.task-price').boundingBox())!
  await page.mouse.click(x + 5, y + 5)
  await page.waitForURL(/\/tasks\/sample\.album$/)
})

test('below the form stands what one gets, beside both what to know; on a phone no line of a program is cut', async () => {
  const page = await open({ viewport: { width: 1280, height: 900 } })
  await page.goto(task('sample.search'))
  const boxOf = async (selector: string) => (await page.locator(selector).boundingBox())!
  const [input, sample, about] = [await boxOf('.input'), await boxOf('.sample'), await boxOf('.about')]
  expect(sample.y).toBeGreaterThanOrEqual(input.y + input.height)
  expect([sample.x, about.y]).toEqual([input.x, input.y])
  expect(about.x).toBeGreaterThan(input.x + input.width)
  expect(await page.locator('tab-set h2:visible').count()).toBe(0)
  await page.setViewportSize({ width: 390, height: 844 })
  for (const id of ['curl', 'typescript', 'python']) {
    await page.goto('about:blank')
    await page.goto(`${task('sample.search')}#${id}`)
    await page.waitForSelector(`#${id}:visible`)
    expect([id, await page.$eval(`#${id} pre`, (pre) => pre.scrollWidth - pre.clientWidth)]).toEqual([id, 0])
  }
  expect((await boxOf('.sample')).y).toBeGreaterThan((await boxOf('.about')).y)
})

test('axe finds nothing serious on any view, in both themes and on a phone, and no page scrolls sideways', async () => {
  const options = [
    { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
    { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
  ]
  for (const each of options) {
    const page = await open(each)
    for (const path of [
      'sample.search',
      'sample.album#as-json',
      'sample.shelf#curl',
      'sample.search?input=%7B"limit":1%7D',
    ]) {
      await page.goto(task(path))
      if (path.endsWith('%7D')) await page.click('#as-form button[name="by"]')
      if (path.endsWith('json')) await page.fill('[name="json"]', '{')
      if (path.endsWith('json')) await page.waitForSelector('#json-error')
      await serious(page, path)
    }
    await page.goto(`${stage.origin}${house.own}/tasks?q=a`)
    await serious(page, 'catalogue')
  }
  expect(stage.complaints).toEqual([])
})

async function serious(page: Page, name: string): Promise<void> {
  await page.evaluate(AXE)
  const found = await page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: axe puts itself there
    const { violations } = await (globalThis as any).axe.run()
    // biome-ignore lint/suspicious/noExplicitAny: as above
    return violations.flatMap((each: any) =>
      ['serious', 'critical'].includes(each.impact) ? [`${each.id}: ${each.nodes[0].html}`] : [],
    )
  })
  expect([name, found]).toEqual([name, []])
  expect([name, await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)]).toEqual([
    name,
    0,
  ])
}
