import { describe, expect, test } from 'bun:test'
import { isCredentialName } from '../../src/recording/credentials.ts'
import { Redactor } from '../../src/recording/redactor.ts'

/** In the form of a JSON Web Token. */
const JWT = `eyJ${'hbGciOiJub25l'}.${'eyJzdWIiOiJvdHRlciJ9'}.c2lnbmVk`

describe('isCredentialName is true for', () => {
  test.each(
    `session sessionid session_id PHPSESSID JSESSIONID sid SSID x-csrf-token csrftoken XSRF-TOKEN authenticity_token access_token
     accessToken refresh-token id_token api_key apiKey X-API-Key INNERTUBE_API_KEY client_secret password Authorization
     Set-Cookie auth_token ct0 msToken visitorData fb_dtsg X-Bogus`.split(/\s+/),
  )('%s', (name) => expect(isCredentialName(name)).toBe(true))
})

describe('isCredentialName is false for', () => {
  test.each(
    `token continuation nextPageToken page_token cursor after key keyword id ids user sessions author tokens
     inside side residence secretary description cookieless`.split(/\s+/),
  )('%s', (name) => expect(isCredentialName(name)).toBe(false))
})

describe('the redactor removes a credential from', () => {
  const texts: [string, string, string][] = [
    ['JSON', '{"csrf_token": "abc", "a": 1}', '{"csrf_token": "REDACTED", "a": 1}'],
    ['JSON with quotes in it', '{"sid":"a\\"b","c":"d"}', '{"sid":"REDACTED","c":"d"}'],
    [
      'JSON in a string of JSON',
      '"{\\"sid\\":\\"abc\\",\\"b\\":\\"c\\"}"',
      '"{\\"sid\\":\\"REDACTED\\",\\"b\\":\\"c\\"}"',
    ],
    [
      'a script',
      "var config = {apiKey: 'abc', theme: 'dark'}",
      "var config = {apiKey: 'REDACTED', theme: 'dark'}",
    ],
    [
      'a form',
      '<input type="hidden" name="_csrf" value="abc">',
      '<input type="hidden" name="_csrf" value="REDACTED">',
    ],
    [
      'a meta tag',
      "<meta content='abc' name='csrf-token' />",
      "<meta content='REDACTED' name='csrf-token' />",
    ],
    ['an address', 'href="/a?b=c&amp;access_token=abc&d=e"', 'href="/a?b=c&amp;access_token=REDACTED&d=e"'],
    ['a submitted form', 'password=abc&user=otter', 'password=REDACTED&user=otter'],
    ['a text with a JSON Web Token', `a ${JWT} b`, 'a REDACTED b'],
    ['a header in a text', 'Authorization: Bearer abcdefghijklmnop1', 'Authorization: Bearer REDACTED'],
    ['an address with a password', 'https://otter:secret@shop.example/', 'https://REDACTED@shop.example/'],
    ['a text with an e-mail address', 'to otter.sea+1@mail.river.example, now', 'to REDACTED, now'],
  ]
  test.each(texts)('%s', (_, text, clean) => {
    expect(new Redactor().text(text)).toBe(clean)
  })
})

describe('the redactor keeps a text without credentials', () => {
  test.each([
    '{"token": "4qmFsgJ", "nextPageToken": "CAUQAA", "key": "value"}',
    '<img src="logo@2x.png"> @otter https://video.example/@otter/video/1',
    '<input name="q" value="desk"> <a id="sidebar" class="x">',
    'a=b&c=d; e=f',
  ])('%s', (text) => expect(new Redactor().text(text)).toBe(text))
})

test('a credential found in one place is removed everywhere, also in its URL encoding', () => {
  const redactor = new Redactor()
  redactor.json({ csrf_token: 'aB3/dE5+fG7=hI9k' })
  expect(redactor.text('x aB3/dE5+fG7=hI9k y aB3%2FdE5%2BfG7%3DhI9k z')).toBe('x REDACTED y REDACTED z')
})

test('a short or word-like value is removed only from its own field, since elsewhere it may mean something else', () => {
  const redactor = new Redactor()
  expect(redactor.json({ sid: 'lamp', csrf: 'anonymousvisitor' })).toEqual({
    sid: 'REDACTED',
    csrf: 'REDACTED',
  })
  expect(redactor.text('a lamp for an anonymousvisitor')).toBe('a lamp for an anonymousvisitor')
})

test('redacted JSON keeps its order, numbers and empty values', () => {
  const redactor = new Redactor()
  const clean = redactor.json({ b: [1, null, true, ''], session_id: 12345, a: { password: '' }, c: 'x' })
  expect(JSON.stringify(clean)).toBe('{"b":[1,null,true,""],"session_id":0,"a":{"password":""},"c":"x"}')
})

test('found credentials are reported with their counts', () => {
  const redactor = new Redactor()
  redactor.text('a@river.example b@river.example sid="x"')
  expect(redactor.credentials.sort()).toEqual(['e-mail address (2)', 'sid'])
})

test('a page of a megabyte is kept within the time limit of the test', () => {
  const page = `{"name":"${'lorem ipsum '.repeat(10)}","n":1},\\"`.repeat(8000)
  expect(page.length).toBeGreaterThan(1_000_000)
  expect(new Redactor().text(page)).toBe(page)
})
