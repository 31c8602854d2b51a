/** A silent browser host does not delay the end of a run. The changes that its pages made are then unknown. */
import { expect, test } from 'bun:test'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { BrowserHost } from '../../src/browser/host/host.ts'
import { hasBrowser } from '../../src/plugin/testing.ts'
import { quiet } from '../worker/quiet.ts'
import { belowOf } from './processes.ts'

const hostsBelow = () => belowOf(process.pid).filter(({ command }) => /browser\/host\/main\.ts/.test(command))

test.skipIf(!hasBrowser)(
  'a signed-in run ends without waiting for a silent browser host',
  async () => {
    const server = createServer((_, response) => response.end('home'))
    await new Promise<void>((go) => server.listen(0, '127.0.0.1', go))
    const origins = { site: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    const others = new Set(hostsBelow().map(({ pid }) => pid))
    const settings = { chromiumPath: process.env.CHROMIUM_PATH || null, origins, most: 1 }
    const host = new BrowserHost(settings, quiet)
    const run = host.pagesFor(
      { name: 'site', origin: 'https://www.site.example' },
      null,
      '{"cookies":[],"origins":[]}',
    )
    expect(await run.call(1, { method: 'open', options: {} })).toEqual({ value: null })
    const { pid } = hostsBelow().find((child) => !others.has(child.pid))!
    process.kill(pid, 'SIGSTOP')
    expect(await run.close()).toEqual({ changes: [], usage: { requests: 0, bytes: 0 } })
    // The host still runs: it was not killed for this.
    expect(hostsBelow().map((child) => child.pid)).toContain(pid)
    process.kill(pid, 'SIGCONT')
    await host.stop()
    server.closeAllConnections()
    server.close()
  },
  60_000,
)
