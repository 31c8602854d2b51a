import { describe, expect, test } from 'bun:test'
import { base64Bytes, protobufAt } from 'gleaner/plugin'
import { CHANNEL, chipToken } from '../fixtures/sample.ts'
import { SORTS } from '../short.ts'
import { sortOfToken, tokenBelow, tokenFor } from './tokens.ts'

describe('a token of our own', () => {
  test.each(SORTS)('asks for the order %s, as the tokens of chips do', (sort) => {
    expect(sortOfToken(tokenFor(CHANNEL, sort))).toBe(sort)
  })

  test('names the channel, and no load of a page', () => {
    const token = tokenFor(CHANNEL, 'oldest')
    expect(token).toMatch(/^[\w-]+(?:%3D)*$/)
    const outer = base64Bytes(token.replaceAll('%3D', '='))
    const text = (bytes: unknown) => new TextDecoder().decode(bytes as Uint8Array)
    expect(text(protobufAt(outer, 80_226_972, 2))).toBe(CHANNEL)
    const inner = base64Bytes(text(protobufAt(outer, 80_226_972, 3)).replaceAll('%3D', '='))
    const order = protobufAt(inner, 110, 3, 10) as Uint8Array
    const zeros = '00000000-0000-0000-0000-000000000000'
    expect([text(protobufAt(order, 2, 1)), text(protobufAt(order, 7, 1))]).toEqual([zeros, zeros])
    expect([protobufAt(order, 4), protobufAt(order, 7, 3)]).toEqual([5, 5])
  })
})

test.each<[string, string | undefined]>([
  [chipToken(2, 4), 'popular'],
  [chipToken(5, 7), 'oldest'],
  [chipToken(9, 7), undefined],
  ['not base64!', undefined],
  ['', undefined],
])('the order of a token is read from its code: %#', (token, sort) => {
  expect(sortOfToken(token)).toBe(sort as never)
})

test('the search for a token ends, however large or deep a command is', () => {
  const wide = { a: Array.from({ length: 100_000 }, () => ({})), continuationCommand: {} }
  let deep: object = { continuationCommand: { token: 't' } }
  for (let i = 0; i < 100_000; i++) deep = { deep }
  expect([tokenBelow(wide), tokenBelow(deep), tokenBelow(null)]).toEqual([null, null, null])
})
