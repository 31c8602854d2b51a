/** Documents that will never show a list are recognized at once. */
import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { documentFailure, READ_STATUSES, silent } from './document.ts'

const state = (session: object) =>
  `<script>window.__INITIAL_STATE__=${JSON.stringify({ session })};x()</script>`
const entry = (name: string) =>
  `<!DOCTYPE html><html data-app-env="prod"><script type="module" async src="https://abs.twimg.com/x-web/x-web/${name}-a1B2.js"></script>`

describe('a document', () => {
  test.each<[number, string, SourceErrorCode | undefined]>([
    [200, state({ user_id: '7' }), undefined],
    [200, '<script src="https://abs.twimg.com/responsive-web/client-web/main.1234a.js"></script>', undefined],
    [200, entry('entry-client-logged-in'), undefined],
    [200, `<p>entry-client-logged-out</p>${state({ user_id: '7' })}`, undefined],
    [200, entry('entry-client-logged-out'), 'source-login-required'],
    [200, state({}), 'source-login-required'],
    [200, state({ user_id: '' }), 'source-login-required'],
    [200, '<title>Just a moment...</title>', 'source-blocked'],
    [200, '<p>Hello</p>', 'source-changed'],
    [400, '<p>x</p>', 'source-blocked'],
    [403, '<p>x</p>', 'source-blocked'],
    [401, '<p>x</p>', 'source-blocked'],
    [404, '<p>x</p>', 'source-changed'],
    [404, '<title>Attention Required! | Cloudflare</title>', 'source-blocked'],
    [410, '<p>x</p>', 'source-changed'],
    [503, '<p>x</p>', 'source-unavailable'],
    [503, '<title>Just a moment...</title>', 'source-blocked'],
  ])('with status %i: %s', (status, html, code) => {
    expect(documentFailure(status, html)?.code).toBe(code)
    // Only documents with these statuses are checked here. The kit handles all others.
    expect(status === 200 || READ_STATUSES.includes(status)).toBe(true)
  })
})

test.each<[string, SourceErrorCode]>([
  [state({ user_id: '7' }), 'source-changed'],
  [state({}), 'source-login-required'],
  ['<title>Just a moment...</title>', 'source-blocked'],
  ['<title>www</title><div id="px-captcha"></div>', 'source-blocked'],
  ['', 'source-changed'],
  ['<meta name="robots"><title>Welcome</title>', 'source-changed'],
  ['<p>Something went wrong. Try reloading.</p>', 'source-changed'],
])('a page that never asks for its list: %s', (html, code) => {
  expect(silent(html).code).toBe(code)
})
