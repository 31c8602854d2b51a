/**
 * Many pages in succession leak nothing: no process, no zombie, no file, and no memory of the browser. The number of
 * pages is GLEANER_TEST_PAGES, 12 by default.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { until } from '../../rigs/servers/processes.ts'
import { Browsers } from '../../src/browser/host/browsers.ts'
import { hasBrowser } from '../../src/plugin/testing.ts'
import { residentMb } from '../../src/process/memory.ts'
import { allProcesses, belowOf, foldersOf } from './processes.ts'
import { executable, site, startWeb } from './web.ts'

const PAGES = Number(process.env.GLEANER_TEST_PAGES ?? 12)
const AT_ONCE = 4
const { web } = startWeb()
web.pages = { 'www.site.example/': '<h1>x</h1><script>localStorage.x = "y".repeat(100000)</script>' }

const zombies = (): number => belowOf(process.pid, allProcesses()).filter(({ isZombie }) => isZombie).length
const mb = async () => {
  const sizes = await residentMb(belowOf(process.pid).map(({ pid }) => pid))
  return [...sizes.values()].reduce((sum, size) => sum + size, 0)
}

describe.skipIf(!hasBrowser)(`${PAGES} pages`, () => {
  test(
    'leave no process, no zombie and no file, and the browser’s memory stays bounded',
    async () => {
      const before = belowOf(process.pid).length
      const failures: unknown[] = []
      const browsers = new Browsers({
        executable: () => executable,
        origins: {},
        most: AT_ONCE,
        onFailure: (error) => failures.push(error),
        dial: async () => connect(web.port, '127.0.0.1'),
      })
      const one = async (): Promise<void> => {
        const page = await browsers.open({ site })
        await page.goto('/')
        expect(await page.wait('h1')).toBe(true)
        await page.close()
      }
      const lane = async (): Promise<void> => {
        for (let n = 0; n < PAGES / AT_ONCE; n++) await one()
      }
      await one()
      const folders = foldersOf(process.pid)
      const [early, processes] = [await mb(), belowOf(process.pid).length]
      await Promise.all(Array.from({ length: AT_ONCE }, lane))
      await one()
      folders.push(...foldersOf(process.pid))
      await until(() => belowOf(process.pid).length <= processes && zombies() === 0)
      const late = await mb()
      if (PAGES > 12)
        console.log(`${PAGES} pages: ${Math.round(early)} MiB before, ${Math.round(late)} MiB after`)
      // 11 MiB a page, about as much as doubles the memory after fifty pages. A leaked process is detected above.
      expect(late - early).toBeLessThan(Math.min(early, PAGES * 11))
      await browsers.stop()
      await until(() => belowOf(process.pid).length <= before && !folders.some((path) => existsSync(path)))
      expect([failures, folders.length > 0]).toEqual([[], true])
    },
    PAGES * 3000 + 30_000,
  )
})
