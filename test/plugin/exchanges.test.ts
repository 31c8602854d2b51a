import { expect, test } from 'bun:test'
import { fitting } from '../../src/plugin/testing/exchanges.ts'

const url = 'https://site.example/api'
const fits = (sent: unknown, body: string) =>
  fitting({ request: 'POST /api', sent }, 'https://site.example')({ method: 'POST', url, body })

test.each<[unknown, string, boolean]>([
  [undefined, 'anything', true],
  ['a=1', 'a=1', true],
  ['a=1', 'a=1&b=2', false],
  [{ a: 1 }, '{"b":2,"a":1}', true],
  [{ a: { b: 1 } }, '{"a":{"b":1,"c":2}}', true],
  [{ a: { b: 1 } }, '{"a":{"c":2}}', false],
  [{ a: 1 }, '{"a":"1"}', false],
  [{ a: null }, '{}', false],
  [{ a: [1] }, '{"a":[1,2]}', false],
  [{ a: [{ b: 1 }] }, '{"a":[{"b":1,"c":2}]}', true],
  [[1], '{"0":1}', false],
  [{ a: 1 }, 'null', false],
  [{ a: 1 }, 'no JSON', false],
])('sent %j matches %s: %p', (sent, body, isFit) => {
  expect(fits(sent, body)).toBe(isFit)
})

test.each<[string, string, boolean]>([
  ['GET /api?q=REDACTED', 'q=anything', true],
  ['GET /api?q=REDACTED+token', 'q=me@site.example+token', true],
  ['GET /api?q=REDACTED+token', 'q=me@site.example+chair', false],
  ['GET /api?q=a.c', 'q=abc', false],
])('%s matches ?%s: %p, as REDACTED stands for any part of a value', (request, query, isFit) => {
  const fit = fitting({ request }, 'https://site.example')
  expect(fit({ method: 'GET', url: `${url}?${query}`, body: '' })).toBe(isFit)
})

test('REDACTED stands for any part of a value in a JSON body, too', () => {
  expect(fits({ q: 'REDACTED token' }, '{"q":"me@site.example token"}')).toBe(true)
  expect(fits({ q: 'REDACTED token' }, '{"q":"me@site.example chair"}')).toBe(false)
})
