/**
 * The HTTP client follows redirects within its source, with a server of the test as the source.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import { networkTransport } from '../../src/net/connection/network-transport.ts'
import { defineSource } from '../../src/plugin.ts'
import { type Answer, codeOf, lamps, redirect, startLamps } from './servers.ts'

const site = startLamps()
const { requests, newClient, at } = site

describe('a redirect', () => {
  test('within the source is followed and reports the public address', async () => {
    at('/new', 'here')
    for (const location of [
      '/new',
      '/prefix/new',
      'new',
      'https://lamps.example/new',
      `http://127.0.0.1:${site.port()}/prefix/new`,
      `http://127.0.0.1:${site.port()}/new`,
    ]) {
      at('/old', redirect(location))
      const reply = await newClient().fetch('/old')
      expect(await reply.text()).toBe('here')
      expect(reply.url).toMatch(/^https:\/\/(www\.)?lamps\.example\/new$/)
    }
  })

  test.each([
    ['https://evil.example/', 'source-redirected'],
    ['//evil.example/new', 'source-redirected'],
    ['ftp://www.lamps.example/', 'source-redirected'],
    ['http://169.254.169.254/latest', 'source-redirected'],
    ['https://www.lamps.example:22/', 'source-redirected'],
    ['http://', 'source-redirected'],
    ['https://consent.other.example/save?continue=x', 'source-blocked'],
    ['/sign-in', 'source-login-required'],
  ])('to %s is not followed and ends as %s', async (location, code) => {
    at('/old', redirect(location))
    at('/sign-in', 'a form')
    const before = requests.length
    const { fetch, slots } = newClient()
    expect(await codeOf(fetch('/old'))).toBe(code)
    expect(requests.length).toBe(before + 1)
    expect(slots.open).toBe(0)
  })

  test('in a loop is abandoned after six requests', async () => {
    at('/round', redirect('/round'))
    const { fetch, slots } = newClient()
    expect(await codeOf(fetch('/round'))).toBe('source-redirected')
    expect(slots.acquisitions).toBe(6)
  })

  test.each([
    [302, 'POST', 'GET '],
    [303, 'POST', 'GET '],
    [307, 'POST', 'POST x=1'],
    [308, 'POST', 'POST x=1'],
  ] as const)('of status %i turns %s into %s', async (status, method, expected) => {
    at('/form', (request, response) => {
      request.resume()
      request.once('end', () => response.writeHead(status, { location: '/to' }).end())
    })
    at('/to', (request, response) => {
      let body = ''
      request.on('data', (chunk) => (body += chunk))
      request.once('end', () => response.end(`${request.method} ${body}`))
    })
    expect(await (await newClient().fetch('/form', { method, body: 'x=1' })).text()).toBe(expected)
  })

  test('to another host of the source drops the authorization header', async () => {
    at('/old', redirect('https://img.cdn.example/new'))
    at('/new', (request, response) => response.end(String(request.headers.authorization)))
    const reply = await newClient().fetch('/old', { headers: { authorization: 'Bearer x' } })
    expect(await reply.text()).toBe('undefined')
  })

  test('from http to https is followed, one from https to http is not', async () => {
    at('/old', redirect('https://www.lamps.example/new'))
    at('/new', redirect('http://www.lamps.example/newest'))
    at('/newest', 'never asked for')
    const before = requests.length
    expect(await codeOf(newClient().fetch('http://www.lamps.example/old'))).toBe('source-redirected')
    expect(requests.slice(before).map(({ url }) => url)).toEqual(['/prefix/old', '/prefix/new'])
  })

  test('to a name that resolves to an internal address by then is not followed', async () => {
    const port = site.port()
    const lookUps: string[] = []
    // The source's names resolve to the test's server while `address` is the one address that counts as public.
    let address = '127.0.0.1'
    const transport = networkTransport({
      proxyUrl: null,
      allowsAddress: (ip) => ip === '127.0.0.1',
      resolve: async (host) => {
        lookUps.push(host)
        return [{ address, family: 4 }]
      },
    })
    const own = defineSource({ ...lamps, name: 'own', origin: `http://www.lamps.example:${port}` })
    const options = { source: own, transport }
    const moved =
      (location: string): Answer =>
      (_, response) => {
        address = '127.0.0.3'
        response.writeHead(302, { location, connection: 'close' }).end()
      }
    site.routes.set('/same', moved('/inside'))
    site.routes.set('/other', moved('http://img.cdn.example/inside'))
    for (const path of ['/same', '/other']) {
      address = '127.0.0.1'
      const before = requests.length
      expect(await codeOf(newClient(options).fetch(path))).toBe('source-redirected')
      expect(requests.length).toBe(before + 1)
    }
    const [www, img] = ['www.lamps.example', 'img.cdn.example']
    expect(lookUps).toEqual([www, www, www, img])
  })
})
