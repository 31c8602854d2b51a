/**
 * The browser is replaced when it is worn, whatever ends it ends the pages that it had and no others, and nothing of it
 * is left.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { Browsers, type BrowsersOptions } from '../../src/browser/browsers.ts'
import { findChromium } from '../../src/browser/chromium/find.ts'
import { BrowserFailed, NoBrowser, NotStarted } from '../../src/browser/failure.ts'
import type { Driver } from '../../src/browser/page/page.ts'
import { hasBrowser } from '../../src/plugin/testing.ts'
import { isAlive, until } from '../start/processes.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { belowOf, foldersOf, type Process, renderersOf } from './processes.ts'
import { executable, failure, site, startWeb } from './web.ts'

const { web } = startWeb()
web.pages = { 'www.site.example/': '<h1>x</h1>' }
const folder = temporaryFolder()
const made: Browsers[] = []
afterAll(() => Promise.all(made.map((browsers) => browsers.stop())))

const failures: unknown[] = []
function newBrowsers(options: Partial<BrowsersOptions> = {}): Browsers {
  const browsers = new Browsers({
    executable: () => executable,
    origins: {},
    proxyUrl: null,
    most: 4,
    onFailure: (error) => failures.push(error),
    dial: async () => connect(web.port, '127.0.0.1'),
    ...options,
  })
  made.push(browsers)
  return browsers
}

async function openHome(browsers: Browsers): Promise<Driver> {
  const page = await browsers.open({ site })
  await page.goto('/')
  return page
}

/** The browsers of this process. */
const mains = (): Process[] =>
  belowOf(process.pid).filter(
    ({ command }) => /--remote-debugging-pipe/.test(command) && !/^\/bin\/sh| --type=/.test(command),
  )

describe.skipIf(!hasBrowser)('the browser', () => {
  describe('of some pages', () => {
    let found: string | undefined
    let browsers: Browsers
    let other: Driver
    beforeAll(() => {
      browsers = newBrowsers({ most: 2, executable: () => found })
    })

    test('that was missing is used as soon as it is there', async () => {
      expect(await browsers.open({ site }).catch((error) => error)).toBeInstanceOf(NoBrowser)
      found = executable
      other = await openHome(browsers)
    })

    test('opens no more at once than it may; the others wait, also when nobody wants them any more', async () => {
      const first = await openHome(browsers)
      const abort = new AbortController()
      const given = browsers.open({ site, signal: abort.signal })
      const second = browsers.open({ site })
      abort.abort(new Error('given up'))
      expect(await failure(Promise.race([second, first.evaluate('1').then(() => 'waits')]))).toContain(
        'waits',
      )
      await first.close()
      expect(await failure(given)).toBe('Error: given up')
      await (await second).close()
    })

    test('loses one page when the process of that page is killed', async () => {
      const before = renderersOf(process.pid)
      const page = await openHome(browsers)
      const own = renderersOf(process.pid).filter((pid) => !before.includes(pid))
      const waiting = page.wait('#never')
      for (const pid of own) process.kill(pid, 'SIGKILL')
      expect(await waiting.catch((error) => error)).toBeInstanceOf(BrowserFailed)
      expect(await other.evaluate('1')).toBe(1)
      await page.closed
    })

    test('ends a page that takes too much memory, and no other', async () => {
      const page = await openHome(browsers)
      const eating = page.evaluate(`(async () => {
        for (const kept = [];;) {
          kept.push(new Uint8Array(64 * 2 ** 20).fill(1))
          await new Promise((go) => setTimeout(go, 5))
        }
      })()`)
      expect(await failure(eating)).toBe('response-too-large')
      expect(await other.evaluate('1')).toBe(1)
      await page.closed
    })

    test('that is killed is a passing fault of its pages, and the next page has a new one', async () => {
      const waiting = other.wait('#never')
      const [main, ...more] = mains()
      expect(more).toEqual([])
      process.kill(main!.pid, 'SIGKILL')
      expect(await waiting.catch((error) => error)).toBeInstanceOf(BrowserFailed)
      await other.closed
      expect(await (await openHome(browsers)).evaluate('1')).toBe(1)
    })

    test('leaves no process and no file', async () => {
      const [folder, ...more] = foldersOf(process.pid)
      expect([existsSync(folder!), more]).toEqual([true, []])
      await browsers.stop()
      await until(() => belowOf(process.pid).length === 0 && !existsSync(folder!))
    })
  })

  test('is another one after so many pages, and the one before ends when its last page does', async () => {
    const browsers = newBrowsers({ wear: { contexts: 2, mb: 100_000 } })
    const [first, second] = [await openHome(browsers), await openHome(browsers)]
    const [worn] = mains()
    const third = await openHome(browsers)
    await first.close()
    expect(isAlive(worn!.pid)).toBe(true)
    expect(await second.evaluate('1')).toBe(1)
    await second.close()
    await until(() => !isAlive(worn!.pid))
    expect(await third.evaluate('1')).toBe(1)
    await browsers.stop()
  })

  test('that is being installed when all ends is not waited for', async () => {
    const asked = Promise.withResolvers<void>()
    const browsers = newBrowsers({
      executable: (signal) =>
        new Promise((go) => {
          signal.addEventListener('abort', () => go(undefined))
          asked.resolve()
        }),
    })
    const given = browsers.open({ site }).catch((error) => error)
    await asked.promise
    await browsers.stop()
    expect(await given).toBeInstanceOf(BrowserFailed)
  })

  test('that does not run says so, and where it is missing the run is told', async () => {
    const missing = newBrowsers({ executable: () => undefined })
    expect(await missing.open({ site }).catch((error) => error)).toBeInstanceOf(NoBrowser)
    const broken = newBrowsers({ executable: () => '/bin/false' })
    expect(await broken.open({ site }).catch((error) => error)).toBeInstanceOf(NotStarted)
    expect(String(failures.at(-1))).toContain('/bin/false')
  })
})

test('it is looked for by name, on the path, and in the folder of Playwright', () => {
  const none = { PATH: folder, PLAYWRIGHT_BROWSERS_PATH: folder }
  expect(findChromium(null, none)).toBeUndefined()
  expect(findChromium('/some/where', none)).toBe('/some/where')
  if (!hasBrowser) return
  expect(existsSync(findChromium(null) ?? executable ?? '')).toBe(true)
})
