import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type House, startHouse, startRun, to, type Visitor } from './house.ts'

let house: House
let ann: Visitor
beforeAll(async () => {
  house = await startHouse()
  ann = await house.setUp()
})
afterAll(() => house.close())

/** The paths of an account's pages, relative to its address. */
const pages = ['', '/tasks', '/runs', '/keys', '/credits', '/logins', '/webhooks', '/members', '/settings']

test('an address without an account redirects to the same page of the account used last', async () => {
  for (const page of pages) {
    const answer = await ann.send(`/console${page}`)
    expect([page, answer.headers.get('location')]).toEqual([page, `${house.own}${page}`])
  }
})

describe('every answer', () => {
  test('cannot be cached or framed, has a strict CSP, and links to no foreign host', async () => {
    const paths = [
      ...pages.map((page) => house.own + page),
      `${house.own}/tasks/sample.search`,
      '/console/me',
      '/console/operator',
      '/console/operator/people',
      '/console/operator/sources',
      '/status',
      `/console/operator/accounts/${house.accountId}`,
      '/console/nothing',
      '/console/sign-in',
    ]
    for (const path of paths) {
      const answer = await ann.send(path)
      const text = await answer.text()
      const csp = answer.headers.get('content-security-policy') ?? ''
      expect({
        path,
        csp: csp.startsWith("default-src 'none'; script-src 'self'; style-src 'self'"),
      }).toEqual({ path, csp: true })
      expect(csp).not.toContain('unsafe')
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('x-frame-options')).toBe('DENY')
      const addresses = [...text.matchAll(/\b(?:href|src|action|data-live|poster|srcset)="([^"]*)"/g)].map(
        ([, at]) => at!,
      )
      const foreign = addresses.filter(
        (at) => !/^(\/console|\/docs(#|$)|\/status(#|$)|\?format=json$|#|data:image\/svg\+xml,)/.test(at),
      )
      expect({ path, foreign }).toEqual({ path, foreign: [] })
      expect(text).not.toMatch(/<script(?![^>]* src=)|\son\w+=|style="/)
    }
  })

  test('texts of people and sources are escaped', async () => {
    const hostile = `<img src=x onerror=alert(1)>"'&\u202e${'x'.repeat(40)}`
    to(await ann.post(`${house.own}/settings`, { name: hostile }))
    const run = await startRun(ann, house, 'otter')
    const items = [
      { id: '1', title: '<script>alert(1)</script>', url: 'javascript:alert(1)' },
      { id: '2', title: '\u202eevil', url: 'https://example.org/"><script>' },
      { id: '3', title: 'y'.repeat(10_000), url: null },
    ]
    await house.service.finish(run, { items })
    for (const path of [house.own, `${house.own}/runs/${run}`, `${house.own}/settings`]) {
      const text = await ann.get(path)
      expect(text).not.toContain('<img')
      expect(text).not.toContain('<script>')
      expect(text).not.toContain('href="javascript:')
      expect(text).not.toContain('x'.repeat(10_000))
    }
    const text = await ann.get(`${house.own}/runs/${run}`)
    expect(text).toContain('&#60;script&#62;alert(1)')
    // A name loses characters that would change the direction of the surrounding text.
    expect(await ann.get(`${house.own}/settings`)).not.toContain('\u202e')
    to(await ann.post(`${house.own}/settings`, { name: 'default' }))
  })
})
