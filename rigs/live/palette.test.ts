/** The palette, the list of shortcuts, copied ids and icons of tabs in a real Chromium, by keyboard, on a phone, and without scripts. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'rebrowser-playwright'
import { type ConsoleStage, openConsole, type SignedInState } from '../support/console-stage.ts'

setDefaultTimeout(60_000)
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let stage: ConsoleStage
let signedIn: SignedInState
const own = () => stage.origin + stage.house.own

beforeAll(async () => {
  stage = await openConsole()
  signedIn = await stage.setUp()
})
afterAll(() => stage.close())
afterEach(async () => {
  await stage.closePages()
  expect(stage.complaints).toEqual([])
})

/** The option that Enter would open. */
const chosen = (page: Page) => page.textContent('.palette [aria-selected="true"] .name')

/** Serious violations in the open dialog. */
async function axe(page: Page): Promise<string[]> {
  return page.evaluate(`(async () => {
    ${AXE}
    const { violations } = await axe.run('dialog[open]')
    return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id }) => id)
  })()`)
}

test('Ctrl+K finds a task by words and opens it, by keyboard alone', async () => {
  const page = await stage.open({ storageState: signedIn, reducedMotion: 'reduce' })
  await page.goto(`${own()}/settings`)
  await page.keyboard.press('Control+k')
  await page.waitForSelector('.palette [role="option"]')
  expect(await chosen(page)).toBe('Home')
  await page.keyboard.type('sample')
  await page.waitForSelector('.palette .title:has-text("Tasks")')
  const input = page.locator('.palette input')
  expect(await input.getAttribute('aria-activedescendant')).toBe('palette-option-0')
  expect(await axe(page)).toEqual([])
  const first = await chosen(page)
  await page.keyboard.press('ArrowDown')
  expect(await chosen(page)).not.toBe(first)
  await page.keyboard.press('ArrowUp')
  expect(await chosen(page)).toBe(first)
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/tasks\/sample\./)
})

test('Escape closes the palette, and the focus returns to where it was', async () => {
  const page = await stage.open({ storageState: signedIn })
  await page.goto(`${own()}/settings`)
  await page.focus('#name')
  await page.keyboard.press('Control+k')
  await page.waitForSelector('.palette [role="option"]')
  await page.keyboard.press('Escape')
  expect(await page.isVisible('.palette')).toBe(false)
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('name')
})

test('Enter before the results have come opens the page of the search', async () => {
  const page = await stage.open({ storageState: signedIn })
  await page.goto(own())
  await page.keyboard.press('Control+k')
  await page.waitForSelector('.palette [role="option"]')
  await page.route('**/search?*', (route) =>
    route.request().isNavigationRequest() ? route.continue() : undefined,
  )
  await page.keyboard.type('webhooks')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/search\?q=webhooks/)
  await page.waitForSelector('#hits a:has-text("Webhooks")')
})

test('on a phone, the search button in the head opens the palette', async () => {
  const page = await stage.open({ storageState: signedIn, viewport: { width: 390, height: 844 } })
  await page.goto(own())
  await page.click('.find button')
  await page.waitForSelector('.palette [role="option"]')
  const box = (await page.locator('dialog.palette').boundingBox())!
  expect(box.x).toBeGreaterThanOrEqual(0)
  expect(box.x + box.width).toBeLessThanOrEqual(390)
})

test('? lists the shortcuts, and Escape closes the list', async () => {
  const page = await stage.open({ storageState: signedIn, reducedMotion: 'reduce' })
  await page.goto(own())
  await page.keyboard.press('?')
  await page.waitForSelector('dialog.keys-help:has-text("Credits")')
  expect(await axe(page)).toEqual([])
  await page.keyboard.press('Escape')
  expect(await page.isVisible('dialog.keys-help')).toBe(false)
})

test('without scripts, the field in the navigation leads to the results', async () => {
  const page = await stage.open({ storageState: signedIn, javaScriptEnabled: false })
  await page.goto(`${own()}/keys`)
  await page.fill('.find input', 'credits')
  await page.keyboard.press('Enter')
  await page.click('#hits a:has-text("Credits")')
  await page.waitForURL(/\/credits$/)
})

test('the button beside an id copies it, and says so', async () => {
  const page = await stage.open({
    storageState: signedIn,
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await page.goto(`${own()}/settings`)
  await page.click('button[aria-label="Copy the id of the account"]')
  await page.waitForSelector('copy-id [role="status"]:has-text("Copied")')
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(stage.house.accountId)
})

test('the tab of a run shows by its title and icon that the run works, and how it ended', async () => {
  const page = await stage.open({ storageState: signedIn })
  await page.goto(`${own()}/tasks/sample.search`)
  await page.fill('[name="in.query"]', 'otter')
  await page.click('button:has-text("Run for")')
  await page.waitForURL(/\/runs\/run_/)
  const icon = () => page.getAttribute('link[rel="icon"]', 'href')
  expect(await icon()).toMatch(/icon-busy\.svg$/)
  const before = await page.title()
  await stage.house.service.finish(page.url().split('/').at(-1)!, { items: [{ id: '1' }] })
  await page.waitForSelector('link[rel="icon"][href$="icon-good.svg"]', { state: 'attached' })
  expect(await page.title()).not.toBe(before)
})

// The last test: it ends the session of the others.
test('a command of the palette opens its form, lists the shortcuts or signs out', async () => {
  const page = await stage.open({ storageState: signedIn, reducedMotion: 'reduce' })
  const command = async (words: string, label: string) => {
    await page.keyboard.press('Control+k')
    await page.waitForSelector('.palette [role="option"]')
    await page.keyboard.type(words)
    await page.waitForSelector(`.palette [aria-selected="true"]:has-text("${label}")`)
    await page.keyboard.press('Enter')
  }
  await page.goto(own())
  await command('create a web', 'Create a webhook')
  await page.waitForURL(/\/webhooks#url$/)
  expect(await page.isVisible('#url')).toBe(true)
  await command('shortcut', 'Keyboard shortcuts')
  await page.waitForSelector('dialog.keys-help[open]')
  await page.keyboard.press('Escape')
  await command('sign out', 'Sign out')
  await page.waitForURL(/\/sign-in/)
})
