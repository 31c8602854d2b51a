/**
 * Measures how many pictures a second a person sees during a sign-in, of a page that changes all the time, with one and
 * with four concurrent sign-ins; along the whole path from the browser to the service, on this machine.
 *
 *   npm run bench -- sign-in [--rounds 3] [--seconds 5] [--width 1280] [--height 800] [--scale 1] [--touch]
 *
 * @module
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { BrowserHost } from '../src/browser/host/host.ts'
import { createLogger } from '../src/logger.ts'
import { median, short } from './table.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    width: { type: 'string', default: '1280' },
    height: { type: 'string', default: '800' },
    scale: { type: 'string', default: '1' },
    touch: { type: 'boolean', default: false },
  },
})
const viewport = {
  width: Number(values.width),
  height: Number(values.height),
  scale: Number(values.scale),
  touch: values.touch,
}
/** The targets in pictures a second. */
const WANTED = 5
const PAGE = `<!doctype html><meta name=viewport content="width=device-width"><title>bench</title>
  <body style="font:16px sans-serif"><h1 id=n></h1>${'<p>Text that is drawn anew with the colour of its page.</p>'.repeat(12)}
  <script>
  let n = 0
  const draw = () => {
    document.getElementById('n').textContent = n
    document.body.style.background = 'hsl(' + n++ * 7 % 360 + ' 90% 90%)'
    requestAnimationFrame(draw)
  }
  draw()</script>`

const server = createServer((_, response) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE),
)
await new Promise<void>((go) => server.listen(0, '127.0.0.1', go))
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const host = new BrowserHost(
  {
    chromiumPath: process.env.CHROMIUM_PATH || null,
    origins: { bench: origin },
    most: 1,
  },
  createLogger('warn'),
)
const site = { name: 'bench', origin: 'https://bench.example' }
const login = { url: '/', signedIn: { cookies: ['never'] } }

type Figures = { readonly perSecond: number; readonly kb: number }

/** The figures of one person among several concurrent ones. */
async function person(seconds: number): Promise<Figures> {
  const handle = await host.signIn({ site, login, viewport, exit: null, onEvent: () => {} })
  await handle.frame({ fresh: true })
  const began = performance.now()
  let [count, bytes] = [0, 0]
  while (performance.now() - began < seconds * 1000) {
    bytes += (await handle.frame()).jpeg.length
    count++
  }
  const took = (performance.now() - began) / 1000
  handle.close()
  await handle.outcome.catch(() => undefined)
  return { perSecond: count / took, kb: bytes / count / 1024 }
}

try {
  await person(1)
  for (const people of [1, 4]) {
    const rounds: Figures[] = []
    for (let round = 0; round < Number(values.rounds); round++) {
      const all = await Promise.all(Array.from({ length: people }, () => person(Number(values.seconds))))
      rounds.push({
        perSecond: Math.min(...all.map(({ perSecond }) => perSecond)),
        kb: median(all.map(({ kb }) => kb)),
      })
    }
    const perSecond = median(rounds.map((round) => round.perSecond))
    const kb = median(rounds.map((round) => round.kb))
    console.log(
      `${people} at once: ${short(perSecond)} pictures/s for the slowest (${short(perSecond / WANTED)} times what is wanted), ${short(kb)} KiB each`,
    )
  }
} finally {
  await host.stop()
  server.closeAllConnections()
  server.close()
}
