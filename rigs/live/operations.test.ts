/**
 * The pages of webhooks, sources and the system in a real Chromium: sent again by checkboxes, and checked by axe in both
 * themes and widths.
 */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'rebrowser-playwright'
import { accountStream, type WebhookId } from '../../src/domain/ids.ts'
import type { Position } from '../../src/log/event-log.ts'
import type { DeliveryAttempt, WebhookDelivery } from '../../src/webhooks/deliveries/delivery-store.ts'
import type { House } from '../../test/console/house.ts'
import { type ConsoleStage, openConsole, type SignedInState } from '../support/console-stage.ts'

setDefaultTimeout(120_000)
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const CAUSE = { correlationId: 'test', causationId: 'test', now: Date.now() }
const PROCESSES = [
  { source: 'sample', state: 'accepting', processes: 2, runs: 40 },
  { source: 'sample', state: 'draining', processes: 1, runs: 2 },
] as const

let stage: ConsoleStage
let house: House
let signedIn: SignedInState
beforeAll(async () => {
  const worker = {
    ...{ runs: 42, waiting: 3, oldestS: 61, places: 64, processes: PROCESSES },
    memoryMb: new Map([['sample', 1210.4]]),
    browser: { isInstalled: false, isRunning: false, users: 0 },
  }
  stage = await openConsole({ WEBHOOK_ALLOW_HOSTS: '127.0.0.1' }, () => ({ startedAt: Date.now(), worker }))
  house = stage.house
  signedIn = await stage.setUp()
})
afterAll(() => stage.close())
afterEach(() => stage.closePages())

/** An endpoint with deliveries in all states, whose answers are as long and hostile as an endpoint can make them. */
async function busyWebhook(): Promise<string> {
  const { webhooks } = house.service.deps
  const url = `https://127.0.0.1:1/${'a-long-path/'.repeat(20)}`
  const { record } = await webhooks.create(house.accountId, { url, types: ['AccountOpened'] }, CAUSE)
  const id = record.webhook_id as WebhookId
  const [event] = await house.service.events()
  const attempt = (n: number): DeliveryAttempt => ({
    ...{ at: new Date(Date.now() - 60_000 * (20 - n)).toISOString(), duration_ms: 10 ** (n % 5) },
    ...(n % 2
      ? { status: 500, error: 'The endpoint responded with 500.', response: '<b>\u202E&'.repeat(500) }
      : { status: null, error: 'The host refused the connection.', response: null }),
  })
  const delivery = (n: number, more: Partial<WebhookDelivery>): WebhookDelivery => ({
    ...{ webhookId: id, eventId: `event-${n}`, position: n as Position, type: 'AccountOpened' },
    ...{ stream: accountStream(house.accountId), revision: 0, state: 'failed', attempts: [] },
    ...{ attemptsSinceQueued: 1, nextAt: null, once: false, queuedAt: Date.now() },
    ...more,
  })
  await house.stores.deliveries.put([
    delivery(0, { eventId: event!.id, attempts: Array.from({ length: 20 }, (_, n) => attempt(n)) }),
    delivery(1, { state: 'pending', nextAt: Date.now() + 3_600_000, attempts: [attempt(1)] }),
    delivery(2, { state: 'pending', nextAt: Date.now() + 3_600_000 }),
    ...Array.from({ length: 30 }, (_, n) => delivery(3 + n, { attempts: [attempt(n)] })),
  ])
  await webhooks.test(house.accountId, id, CAUSE)
  return `${house.own}/webhooks/${id}`
}

/** A source with a broken task. */
async function brokenSource(page: Page): Promise<string> {
  for (const code of [null, 'source-blocked', 'source-changed', 'defect'] as const) {
    await page.goto(`${stage.origin}${house.own}/tasks/sample.search`)
    await page.click('button:has-text("Run for")')
    await page.waitForURL(/\/runs\/run_/)
    const run = page.url().split('/').at(-1)!
    const detail = 'The page was a <script>captcha</script>. '.repeat(20)
    await house.service.finish(run, code === null ? { items: [] } : { status: 'failed', code, detail })
  }
  return '/console/operator/sources/sample'
}

/** The serious faults of a page in each width and theme. */
async function faultsOf(page: Page, path: string): Promise<string[]> {
  await page.goto(stage.origin + path)
  for (const details of await page.locator('main details').all())
    await details.evaluate((element) => element.setAttribute('open', ''))
  await page.evaluate(AXE)
  const faults: string[] = []
  for (const [width, height] of [
    [1280, 900],
    [390, 844],
  ] as const)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme })
      const sideways = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      if (sideways > 0) faults.push(`${width}: it is ${sideways} px too wide`)
      const { violations } = (await page.evaluate(`axe.run(document, { resultTypes: ['violations'] })`)) as {
        violations: { id: string; impact: string; nodes: { html: string }[] }[]
      }
      for (const { id, impact, nodes } of violations)
        if (impact === 'serious' || impact === 'critical')
          faults.push(`${width} ${colorScheme}: ${id}: ${nodes[0]?.html.slice(0, 160)}`)
    }
  return faults
}

test('axe finds no serious fault on pages of webhooks, sources and the system, with everything open', async () => {
  const page = await stage.open({ storageState: signedIn, reducedMotion: 'reduce' })
  const webhook = await busyWebhook()
  const source = await brokenSource(page)
  await page.goto(`${stage.origin}${webhook}`)
  const test = await page.getAttribute('.deliveries a:has-text("Test")', 'href')
  const [event] = await house.service.events()
  const paths = [
    `${house.own}/webhooks`,
    webhook,
    `${webhook}/deliveries/${event!.id}`,
    test!,
    house.own,
    '/console/operator/sources',
    source,
    '/console/operator/exits',
    '/console/operator/system',
  ]
  for (const path of paths) expect({ path, faults: await faultsOf(page, path) }).toEqual({ path, faults: [] })
})

test('deliveries are chosen by boxes, all of them by one, and sent again', async () => {
  const page = await stage.open({ storageState: signedIn })
  await page.goto(`${stage.origin}${await busyWebhook()}`)
  const boxes = page.locator('.deliveries tbody input[type="checkbox"]')
  const button = page.locator('button:has-text("Replay selected")')
  expect([await boxes.count(), await button.isDisabled()]).toEqual([25, true])
  await page.check('thead input[type="checkbox"]')
  expect(await page.textContent('[data-selected]')).toBe('25 selected:')
  await boxes.first().uncheck()
  await button.click()
  await page.waitForSelector('text=24 deliveries will be sent again')
})
