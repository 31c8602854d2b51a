/**
 * The list of runs and the head of a run in a real Chromium: by keyboard, live, without scripts, on a phone, and checked
 * by axe.
 */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'rebrowser-playwright'
import type { House } from '../../test/console/house.ts'
import { type ConsoleStage, openConsole, type SignedInState } from '../support/console-stage.ts'

setDefaultTimeout(60_000)
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const PHONE = { width: 390, height: 844 }
const LONG = `${'wide words '.repeat(8)}🦦 שלום`

let stage: ConsoleStage
let house: House
let signedIn: SignedInState
let key: string
const open: ConsoleStage['open'] = (options) => stage.open({ storageState: signedIn, ...options })
const url = (path: string) => `${stage.origin}${house.own}${path}`

beforeAll(async () => {
  stage = await openConsole()
  house = stage.house
  signedIn = await stage.setUp()
  key = await house.service.newKey(house.accountId, ['runs'])
})
afterAll(() => stage.close())
afterEach(async () => {
  await stage.closePages()
  expect(stage.complaints.splice(0)).toEqual([])
})

async function start(title: string): Promise<string> {
  const answer = await house.service.post('/v1/sample/search', key, { query: 'otter', _run: { title } })
  return ((await answer.json()) as { run_id: string }).run_id
}
const finish = (run: string) => house.service.finish(run, { items: [{ id: run }] })

test('runs are selected and started again by keyboard, and a row stays selected when it changes', async () => {
  const run = await start('first')
  await finish(await start('second'))
  const page = await open()
  await page.goto(url('/runs'))
  const box = page.locator(`#row-${run} input`)
  await box.focus()
  await page.keyboard.press('Space')
  expect(await page.textContent('[data-selected]')).toBe('1 selected:')
  await page.locator('h1').click()
  await finish(run)
  await page.waitForSelector(`#row-${run} .badge.good`)
  expect(await box.isChecked()).toBe(true)
  await page.focus('input[aria-label="Select all on this page"]')
  await page.keyboard.press('Space')
  expect(await page.textContent('[data-selected]')).toBe('2 selected:')
  await page.focus('button:has-text("Run again …")')
  await page.keyboard.press('Enter')
  await page.waitForSelector('h1:has-text("Run again")')
  await page.focus('button:has-text("Run 2 again for 2 credits")')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.made:has-text("2 runs were started.")')
  expect(await page.locator('tbody tr').count()).toBe(4)
})

test('selected runs stay selected when new ones are shown', async () => {
  const run = await start('stays selected')
  const page = await open()
  await page.goto(url('/runs'))
  await page.check(`#row-${run} input`)
  const next = await start('new')
  await page.click('.news button:has-text("Show 1 new")')
  await page.waitForSelector(`#row-${next}`)
  expect(await page.isChecked(`#row-${run} input`)).toBe(true)
  expect(await page.isChecked(`#row-${next} input`)).toBe(false)
  expect(await page.textContent('[data-selected]')).toBe('1 selected:')
  await page.reload()
  await page.waitForSelector(`#row-${next}`)
})

test('a download can be followed by another action at once', async () => {
  const page = await open()
  await page.goto(url('/runs'))
  await page.check('tbody tr:last-child input')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.click('button:has-text("Download items")'),
  ])
  expect(file.suggestedFilename()).toBe('runs.ndjson')
  await page.click('.selection button:has-text("Cancel")')
  await page.waitForSelector('.notice:has-text("No run was cancelled: the selected run had already ended.")')
})

test('the time of a run that works goes on, and its page shows the end with tab and bar', async () => {
  const run = await start('clock')
  await house.service.start(run)
  const page = await open()
  await page.goto(url(`/runs/${run}`))
  const before = await page.textContent('#state [data-elapsed]')
  await page.waitForSelector(`#state [data-elapsed]:not(:text-is("${before}"))`)
  expect(await page.title()).toStartWith('▸ clock')
  expect(await page.locator('a:has-text("Refresh")').isVisible()).toBe(false)
  await finish(run)
  await page.waitForSelector('#state .badge.good')
  expect(await page.title()).toStartWith('✓ clock')
  await page.click('#actions button:has-text("Run again with this input")')
  await page.waitForURL((at) => !at.href.endsWith(run))
  expect(await page.title()).toStartWith('… clock')
})

test('without scripts, runs are filtered, paged, selected and refreshed', async () => {
  for (let n = 0; n < 50; n++) await start(`many ${n}`)
  const run = await start('no script')
  const page = await open({ javaScriptEnabled: false })
  await page.goto(url('/runs'))
  expect(await page.locator('tbody tr').count()).toBe(50)
  await page.click('a:has-text("Older")')
  expect(await page.locator('a:has-text("Newer")').isVisible()).toBe(true)
  await page.click('a:has-text("Newest")')
  await page.check('input[name="status"][value="queued"]')
  await page.check('input[name="status"][value="running"]')
  await page.click('button:has-text("Filter")')
  expect(page.url()).toContain('status=queued&status=running')
  await page.goto(url(`/runs/${run}`))
  await house.service.start(run)
  await page.click('a:has-text("Refresh")')
  expect(await page.textContent('#state .badge')).toBe('running')
  await page.goto(url('/runs?q=no+script'))
  await page.check(`#row-${run} input`)
  await page.click('.selection button:has-text("Cancel")')
  expect(await page.textContent('.notice')).toContain('1 run is being cancelled.')
})

test('on a phone the filters are folded, and a run takes three or four lines', async () => {
  const run = await start(LONG)
  const page = await open({ viewport: PHONE, hasTouch: true })
  await page.goto(url('/runs'))
  expect(await page.locator('input[value="queued"]').isVisible()).toBe(false)
  await page.click('summary:has-text("Filters")')
  await page.check('input[value="queued"]')
  const { height = 999 } = (await page.locator(`#row-${run}`).boundingBox()) ?? {}
  expect(height).toBeLessThan(130)
  await page.goto(url('/runs?status=queued'))
  expect(await page.locator('input[value="queued"]').isVisible()).toBe(true)
})

test('axe finds nothing serious, and no page is wider than its window', async () => {
  const failed = await start(LONG)
  await house.service.finish(failed, {
    status: 'failed',
    code: 'source-blocked',
    detail: '<b>no</b>'.repeat(200),
  })
  const working = await start('working')
  await house.service.start(working)
  const progress = { done: 3, total: 12, message: 'pages `read`' }
  const command = { type: 'progress', attempt: 1, now: Date.now(), leaseS: 30, progress } as const
  await house.service.deps.commands.handle(working as never, command, {
    causationId: 'test',
    now: Date.now(),
  })
  const paths = [
    '/runs',
    '/runs?status=failed&q=wide',
    '/runs?q=nothing+like+it',
    `/runs/again?run=${failed}&run=${working}`,
  ]
  const page = await open()
  for (const path of ['', ...paths, `/runs/${failed}`, `/runs/${working}`]) {
    await page.goto(url(path))
    await page.evaluate(AXE)
    for (const colorScheme of ['light', 'dark'] as const)
      for (const viewport of [{ width: 1280, height: 900 }, PHONE]) {
        await page.setViewportSize(viewport)
        await page.emulateMedia({ colorScheme })
        expect({ path, viewport, wrong: await faults(page) }).toEqual({ path, viewport, wrong: [] })
      }
  }
})

async function faults(page: Page): Promise<string[]> {
  const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement)
  const wrong = scrollWidth > clientWidth ? [`it is ${scrollWidth - clientWidth} px too wide`] : []
  const report = (await page.evaluate(`axe.run(document, { resultTypes: ['violations'] })`)) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[]
  }
  const serious = report.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  return [...wrong, ...serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`)]
}
