/** Images of items: which are fetched, from where, how often, and what a browser may get. */
import { describe, expect, test } from 'bun:test'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { imageType } from '../../src/images/format.ts'
import { Images } from '../../src/images/images.ts'
import type { ExitUse } from '../../src/net/exits/uses.ts'
import { RateLimiter } from '../../src/net/rate-limiter.ts'
import { ExitFailed, type Transport } from '../../src/net/transport/transport.ts'
import { defineSource, type Source } from '../../src/plugin/source.ts'

const JPEG = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, ...new Array(20).fill(0)])
const lamps = defineSource({
  name: 'lamps',
  title: 'Lamps',
  origin: 'https://www.lamps.example',
  imageHosts: ['*.lampcdn.example'],
  tasks: [],
})
const ORIGIN_OF_IMAGES = 'https://a.lampcdn.example'
const URL_OF_LAMP = `${ORIGIN_OF_IMAGES}/7.jpg`

type Answer = (url: string) => Response | Promise<Response>
const jpeg = () => new Response(JPEG, { headers: { 'content-type': 'image/jpeg' } })

function imagesWith(
  answer: Answer,
  { origins = {}, clock = { at: 1e12 }, rateLimiter = new RateLimiter() } = {},
) {
  const asked: Request[] = []
  const transport: Transport = async (request) => {
    asked.push(request)
    return answer(request.url)
  }
  const config = { sourceOrigins: new Map(Object.entries<string>(origins)), contact: null }
  const images = new Images({
    config,
    exits: { forRun: async () => null, ended: async () => {} },
    rateLimiter,
    now: () => clock.at,
    transport,
  })
  const of = (url: string, source: Source = lamps, account = 'acc_1') => images.of(source, url, account)
  return { images, of, asked, clock, urls: () => asked.map(({ url }) => url) }
}

test('an image of the source is fetched as it is', async () => {
  const { of } = imagesWith(jpeg)
  expect(await of(URL_OF_LAMP)).toEqual({ type: 'image/jpeg', body: JPEG })
})

test.each([
  ['another host', 'https://lampcdn.evil.example/7.jpg'],
  ['an address', 'https://127.0.0.1/7.jpg'],
  ['a local name', 'http://localhost/7.jpg'],
  ['another port', 'https://a.lampcdn.example:8443/7.jpg'],
  ['a user', 'https://user:secret@a.lampcdn.example/7.jpg'],
  ['another scheme', 'file:///etc/passwd'],
  ['no address', 'lamp'],
])('nothing is fetched from %s', async (_, url) => {
  const { of, asked, images } = imagesWith(jpeg)
  expect(images.allows(lamps, url)).toBe(false)
  expect(await of(url)).toBeUndefined()
  expect(asked).toEqual([])
})

test('nothing is fetched for a source with a login, whose images may be those of its members', async () => {
  const closed = defineSource({
    ...lamps,
    name: 'closed',
    login: { url: '/sign-in', signedIn: { cookies: ['session'] } },
  })
  const { of, asked } = imagesWith(jpeg)
  expect(await of(URL_OF_LAMP, closed)).toBeUndefined()
  expect(asked).toEqual([])
})

/** Images through a proxy. Each choice of an exit is another one, as the sessions of a template are. */
async function imagesThrough(answer: (socket: Duplex) => void) {
  const proxy = createServer()
  proxy.on('connect', (_, socket) => answer(socket))
  await new Promise<void>((go) => proxy.listen(0, '127.0.0.1', go))
  const url = `http://u:p@127.0.0.1:${(proxy.address() as AddressInfo).port}`
  let number = 0
  const outcomes: unknown[] = []
  const uses: ExitUse[] = []
  const clock = { at: 1e12 }
  const images = new Images({
    config: { sourceOrigins: new Map(), contact: null },
    exits: {
      async forRun() {
        number++
        return { way: 'default', number, label: `default#${number}`, isSession: true, url }
      },
      ended: async ({ label }, source, outcome) => void outcomes.push([label, source, outcome]),
    },
    onExitUsed: (use) => void uses.push(use),
    rateLimiter: new RateLimiter(),
    now: () => clock.at,
  })
  const of = (path: string) => images.of(lamps, `${ORIGIN_OF_IMAGES}/${path}`, 'acc_1')
  return { of, uses, outcomes, clock, close: () => proxy.close() }
}

const answering = (status: string) => (socket: Duplex) => socket.end(`HTTP/1.1 ${status}\r\n\r\n`)

test('an image whose exit fails is not shown, and the exit rests: the next image has another one', async () => {
  const { of, uses, outcomes, close } = await imagesThrough(answering('407 Proxy Authentication Required'))
  await Promise.all([of('1.jpg'), of('2.jpg')])
  await of('3.jpg')
  expect(outcomes).toEqual([
    ['default#1', 'lamps', 'unreachable'],
    ['default#1', 'lamps', 'unreachable'],
    ['default#2', 'lamps', 'unreachable'],
  ])
  expect(uses.map(({ exit }) => exit)).toEqual([1, 1, 2])
  close()
})

test('an exit that does not lead to the host of the images stays, and does not rest: runs may need it for other hosts', async () => {
  const { of, uses, outcomes, close } = await imagesThrough(answering('403 Forbidden'))
  await of('1.jpg')
  await of('2.jpg')
  expect(outcomes).toEqual([])
  expect(uses.map(({ exit }) => exit)).toEqual([1, 1])
  close()
})

test('an image whose exit failed is asked for again at once', async () => {
  let isUp = false
  const { of } = imagesWith(() => {
    if (!isUp) throw new ExitFailed('it refuses connections')
    return jpeg()
  })
  expect(await of(URL_OF_LAMP)).toBeUndefined()
  isUp = true
  expect(await of(URL_OF_LAMP)).toMatchObject({ type: 'image/jpeg' })
})

test('the images of a source share an exit for ten minutes, and are counted there', async () => {
  // Nothing answers behind the proxy, which is no fault of the exit.
  const { of, uses, clock, close } = await imagesThrough((socket) =>
    socket.end('HTTP/1.1 200 Connection established\r\n\r\n'),
  )
  await Promise.all([of('1.jpg'), of('2.jpg')])
  clock.at += 599_999
  await of('3.jpg')
  clock.at += 1
  await of('4.jpg')
  expect(uses).toHaveLength(4)
  for (const use of uses)
    expect(use).toMatchObject({ way: 'default', source: 'lamps', outcome: 'image', requests: 1 })
  for (const { bytes } of uses) expect(bytes).toBeGreaterThan(0)
  expect(uses.map(({ exit }) => exit)).toEqual([1, 1, 1, 2])
  close()
})

test('a redirect to a foreign host is not followed', async () => {
  const { of, urls } = imagesWith(
    () => new Response(null, { status: 302, headers: { location: 'https://evil.example/7.jpg' } }),
  )
  expect(await of(URL_OF_LAMP)).toBeUndefined()
  expect(urls()).toEqual([URL_OF_LAMP])
})

test('a replaced origin is asked instead of the host of the image', async () => {
  const { of, urls } = imagesWith(jpeg, { origins: { lamps: 'http://127.0.0.1:9/mock' } })
  expect(await of(URL_OF_LAMP)).toMatchObject({ type: 'image/jpeg' })
  expect(urls()).toEqual(['http://127.0.0.1:9/mock/7.jpg'])
})

describe('a browser gets no', () => {
  const answers: Record<string, Answer> = {
    page: () => new Response('<script>', { headers: { 'content-type': 'text/html' } }),
    'page that calls itself an image': () =>
      new Response('<script>alert(1)</script>'.padEnd(100), { headers: { 'content-type': 'image/png' } }),
    SVG: () => new Response('<svg xmlns="…"/>', { headers: { 'content-type': 'image/svg+xml' } }),
    'image that calls itself a page': () => new Response(JPEG, { headers: { 'content-type': 'text/html' } }),
    'image without a type': () => new Response(JPEG),
    'image above 2 MiB': () =>
      new Response(new Uint8Array([...JPEG, ...new Uint8Array(2 * 1024 * 1024)]), {
        headers: { 'content-type': 'image/jpeg' },
      }),
    error: () => new Response(JPEG, { status: 500, headers: { 'content-type': 'image/jpeg' } }),
    'image of a broken connection': () => Promise.reject(new Error('reset')),
  }
  test.each(Object.keys(answers))('%s', async (name) => {
    expect(await imagesWith(answers[name]!).of(URL_OF_LAMP)).toBeUndefined()
  })
})

test('an image is fetched once a day, also for many who ask at once; each account has its own', async () => {
  const { of, asked, clock } = imagesWith(jpeg)
  await Promise.all([of(URL_OF_LAMP), of(URL_OF_LAMP)])
  await of(URL_OF_LAMP)
  expect(asked.length).toBe(1)
  await of(URL_OF_LAMP, lamps, 'acc_2')
  expect(asked.length).toBe(2)
  clock.at += 86_400_001
  await of(URL_OF_LAMP)
  expect(asked.length).toBe(3)
})

test('an image that could not be had is not asked for again for ten minutes', async () => {
  const { of, asked, clock } = imagesWith(() => new Response(null, { status: 404 }))
  for (let n = 0; n < 3; n++) expect(await of(URL_OF_LAMP)).toBeUndefined()
  expect(asked.length).toBe(1)
  clock.at += 600_001
  await of(URL_OF_LAMP)
  expect(asked.length).toBe(2)
})

test('requests carry no cookies, neither those of earlier answers', async () => {
  const { of, asked } = imagesWith(
    () => new Response(JPEG, { headers: { 'content-type': 'image/jpeg', 'set-cookie': 'a=b' } }),
  )
  await of(URL_OF_LAMP)
  await of('https://a.lampcdn.example/8.jpg')
  expect(asked.map(({ headers }) => headers.get('cookie'))).toEqual([null, null])
})

test('images do not wait for the pace of the site, nor use it up', async () => {
  const slow = defineSource({ ...lamps, name: 'slow', pace: { perSecond: 0.001, burst: 1, together: true } })
  const rateLimiter = new RateLimiter()
  const { of } = imagesWith(jpeg, { rateLimiter })
  expect(await of(URL_OF_LAMP, slow)).toBeDefined()
  let isStarted = false
  rateLimiter.ask(slow, 'www.lamps.example', 'acc_1', 1000, () => {
    isStarted = true
  })
  expect(isStarted).toBe(true)
  expect(await of('https://a.lampcdn.example/8.jpg', slow)).toBeDefined()
})

test.each([
  ['image/jpeg', [0xff, 0xd8, 0xff], 'image/jpeg'],
  ['image/jpg; charset=x', [0xff, 0xd8, 0xff], 'image/jpeg'],
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], 'image/png'],
  ['image/gif', [...Buffer.from('GIF89a')], 'image/gif'],
  ['image/jpeg', [...Buffer.from('RIFF....WEBPVP8 ')], 'image/webp'],
  ['image/avif', [...Buffer.from('....ftypavif')], 'image/avif'],
  ['image/svg+xml', [...Buffer.from('<svg ')], undefined],
  ['image/png', [...Buffer.from('<svg ')], undefined],
  ['image/pngx', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], undefined],
  [null, [0xff, 0xd8, 0xff], undefined],
  ['image/jpeg', [], undefined],
])('%s with its first bytes is %#', (declared, bytes, type) => {
  expect(imageType(declared, new Uint8Array(bytes))).toBe(type)
})
