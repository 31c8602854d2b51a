/**
 * What a task learns when a request of its page's own scripts is redirected: many sites answer an XHR of a blocked visitor
 * with a redirect to a block page.
 *
 * @module
 */
import { describe, expect, test } from 'bun:test'
import type { ServerResponse } from 'node:http'
import { Blocked } from '../../src/plugin/errors.ts'
import { hasBrowser } from '../../src/plugin/testing.ts'
import { failure, startWeb } from './web.ts'

const { onShared } = startWeb()
const API = 'www.site.example/api/list'
const to = (location: string) => (response: ServerResponse) =>
  void response.writeHead(302, { location }).end()
const json = (response: ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end('[1]')

/** The reply to the request of a page for `/api/list`. */
const reply = (pages: Parameters<typeof onShared>[0]) =>
  onShared({ 'www.site.example/': '', ...pages }, async (page) => {
    await page.goto('/')
    const lists = page.answers(/\/api\/list/)
    await page.evaluate("void fetch('/api/list').catch(() => {})")
    return lists.next({ timeoutS: 5 })
  })

describe.skipIf(!hasBrowser)('a request of a page that is redirected', () => {
  test('within the source is answered by the response at the end', async () => {
    const answer = await reply({
      [API]: to('/hop'),
      'www.site.example/hop': to('/v2'),
      'www.site.example/v2': json,
    })
    expect(answer).toMatchObject({ status: 200, url: 'http://www.site.example/v2' })
    expect(await answer?.json()).toEqual([1])
  })

  test('to a block page of a common vendor is blocked', async () => {
    const answer = await reply({
      [API]: to('/check'),
      'www.site.example/check': '<title>Just a moment...</title>',
    })
    expect(await answer?.json().catch((error: unknown) => error)).toBeInstanceOf(Blocked)
  })

  test.each([
    ['an interstitial', '/login?next=list', 'source-login-required'],
    [
      'an interstitial at a host that allows no request of the page',
      'http://consent.site.example/x',
      'source-blocked',
    ],
    [
      'an interstitial at a host of the source that allows none',
      'http://other.site.example/login',
      'source-login-required',
    ],
    ['another host', 'http://evil.example/', 'source-redirected'],
  ])('to %s ends as the redirect of a document would', async (_, location, code) => {
    const answer = await reply({
      [API]: to(location),
      'www.site.example/login': '<h1>Sign in</h1>',
      'other.site.example/login': '<h1>Sign in</h1>',
    })
    expect(await failure(answer?.json() ?? Promise.resolve('no answer'))).toBe(code)
  })
})
