/**
 * A worn browser is replaced. A browser that ends takes only its own pages with it, and leaves no process and no file.
 *
 * @module
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { isAlive, until } from '../../rigs/servers/processes.ts'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { findChromium } from '../../src/browser/chromium/find.ts'
import { BrowserFailed, NoBrowser, NotStarted } from '../../src/browser/failure.ts'
import { Browsers, type BrowsersOptions } from '../../src/browser/host/browsers.ts'
import type { Driver } from '../../src/browser/page/page.ts'
import { hasBrowser } from '../../src/plugin/testing.ts'
import { belowOf, foldersOf, type Process, renderersOf } from './processes.ts'
import { executable, failure, site, startWeb } from './web.ts'

const { web } = startWeb()
web.pages = { 'www.site.example/': '<h1>x</h1>' }
const folder = temporaryFolder()
const allBrowsers: Browsers[] = []
afterAll(() => Promise.all(allBrowsers.map((browsers) => browsers.stop())))

const failures: unknown[] = []
function newBrowsers(options: Partial<BrowsersOptions> = {}): Browsers {
  const browsers = new Browsers({
    executable: () => executable,
    origins: {},
    most: 4,
    onFailure: (error) => failures.push(error),
    dial: async () => connect(web.port, '127.0.0.1'),
    ...options,
  })
  allBrowsers.push(browsers)
  return browsers
}

async function openHome(browsers: Browsers): Promise<Driver> {
  const page = await browsers.open({ site })
  await page.goto('/')
  return page
}

/** The main processes of the browsers that this process started. */
const mains = (): Process[] =>
  belowOf(process.pid).filter(
    ({ command }) => /--remote-debugging-pipe/.test(command) && !/^\/bin\/sh| --type=/.test(command),
  )

describe.skipIf(!hasBrowser)('the browser', () => {
  describe('with several pages', () => {
    let installed: string | undefined
    let browsers: Browsers
    let other: Driver
    beforeAll(() => {
      browsers = newBrowsers({ most: 2, executable: () => installed })
    })

    test('is used as soon as it is installed', async () => {
      expect(await browsers.open({ site }).catch((error) => error)).toBeInstanceOf(NoBrowser)
      installed = executable
      other = await openHome(browsers)
    })

    test('opens no more pages than allowed: further ones wait, and an aborted wait ends with its reason', async () => {
      const first = await openHome(browsers)
      const abort = new AbortController()
      const abortedOpen = browsers.open({ site, signal: abort.signal })
      const second = browsers.open({ site })
      abort.abort(new Error('given up'))
      expect(await failure(Promise.race([second, first.evaluate('1').then(() => 'waits')]))).toContain(
        'waits',
      )
      await first.close()
      expect(await failure(abortedOpen)).toBe('Error: given up')
      await (await second).close()
    })

    test('loses only the page whose renderer is killed', async () => {
      const before = renderersOf(process.pid)
      const page = await openHome(browsers)
      const own = renderersOf(process.pid).filter((pid) => !before.includes(pid))
      const waiting = page.wait('#never')
      for (const pid of own) process.kill(pid, 'SIGKILL')
      expect(await waiting.catch((error) => error)).toBeInstanceOf(BrowserFailed)
      expect(await other.evaluate('1')).toBe(1)
      await page.closed
    })

    test('ends only the page that uses too much memory', async () => {
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

    test('that is killed fails its pages with BrowserFailed, and the next page gets a new browser', async () => {
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

  test('is replaced after the configured number of pages, and the old one ends with its last page', async () => {
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

  test('that is still being installed does not delay stop()', async () => {
    const searching = Promise.withResolvers<void>()
    const browsers = newBrowsers({
      executable: (signal) =>
        new Promise((go) => {
          signal.addEventListener('abort', () => go(undefined))
          searching.resolve()
        }),
    })
    const opening = browsers.open({ site }).catch((error) => error)
    await searching.promise
    await browsers.stop()
    expect(await opening).toBeInstanceOf(BrowserFailed)
  })

  test('that is missing fails with NoBrowser, and one that does not start with NotStarted', async () => {
    const missing = newBrowsers({ executable: () => undefined })
    expect(await missing.open({ site }).catch((error) => error)).toBeInstanceOf(NoBrowser)
    const broken = newBrowsers({ executable: () => '/bin/false' })
    expect(await broken.open({ site }).catch((error) => error)).toBeInstanceOf(NotStarted)
    expect(String(failures.at(-1))).toContain('/bin/false')
  })
})

test('findChromium returns the configured path, and nothing if PATH and Playwright’s folder are empty', () => {
  const none = { PATH: folder, PLAYWRIGHT_BROWSERS_PATH: folder }
  expect(findChromium(null, none)).toBeUndefined()
  expect(findChromium('/some/where', none)).toBe('/some/where')
  if (!hasBrowser) return
  expect(existsSync(findChromium(null) ?? executable ?? '')).toBe(true)
})
