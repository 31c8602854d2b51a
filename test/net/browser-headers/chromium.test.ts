/** Whether the measured headers are still those of Chromium, if the one of this machine is the version that they name. */
import { expect, test } from 'bun:test'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { temporaryFolder } from '../../../rigs/support/temporary.ts'
import { findChromium } from '../../../src/browser/chromium/find.ts'
import { BROWSER, CHROMIUM } from '../../../src/plugin/browser-headers.ts'
import { HEADS, SITE, startRawServer } from './measured.ts'

const program = process.platform === 'linux' ? findChromium(process.env.CHROMIUM_PATH ?? null) : undefined
const version =
  program && Number(/(\d+)\.\d+\.\d+/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[1])

test('the headers that are sent name one version everywhere', () => {
  const named = HEADS.flatMap((head) =>
    [...head.matchAll(/Chrom(?:e\/|ium";v=")(\d+)/g)].map(([, v]) => Number(v)),
  )
  expect(new Set(named)).toEqual(new Set([CHROMIUM.version]))
  expect(HEADS.every((head) => head.includes(`User-Agent: ${BROWSER}\n`))).toBe(true)
})

test.skipIf(version !== CHROMIUM.version)(
  `Chromium ${CHROMIUM.version} sends these headers (here: ${version ?? 'no Chromium'})`,
  async () => {
    const server = await startRawServer()
    const flags = [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      '--lang=en-US',
      // Headless, it would say so.
      `--user-agent=${BROWSER}`,
      `--host-resolver-rules=MAP *.localhost 127.0.0.1:${server.port}, MAP * ~NOTFOUND`,
      `--user-data-dir=${temporaryFolder()}`,
      '--remote-debugging-port=0',
    ]
    const child = spawn(program ?? '', [...flags, `${SITE}/page`], { stdio: 'ignore', detached: true })
    try {
      expect(await server.all).toEqual(HEADS)
    } finally {
      process.kill(-(child.pid ?? 0), 'SIGKILL')
      await once(child, 'close')
      server.close()
    }
  },
)
