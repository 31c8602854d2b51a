/** A bad end of the canary counts when its repeat is bad too, once. */
import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { CANARY_ACCOUNT_ID, type CanaryEnd, canaryEnd } from '../../../src/domain/health/canary.ts'
import { derivedAccountId, parseAccountId } from '../../../src/domain/ids.ts'

const START = Date.parse('2026-06-02T12:00:00Z')

test('the account is derived from the word', () => {
  expect(parseAccountId(CANARY_ACCOUNT_ID)).toBe(CANARY_ACCOUNT_ID)
  expect(CANARY_ACCOUNT_ID).toBe(derivedAccountId(createHash('sha256').update('canary').digest()))
})

test.each<[string, string]>([
  ['a good end counts', '0+'],
  ['a bad end waits', '0?'],
  ['its bad repeat counts', '0? 10-'],
  ['its good repeat counts, and the bad end is forgotten', '0? 10+ 20?'],
  ['a bad end after a repeat waits for its own', '0? 10- 20? 30-'],
  ['a repeat after more than an hour is none', '0? 61?'],
])('%s', (_, ends) => {
  let before: CanaryEnd | null = null
  for (const end of ends.split(' ')) {
    const at = new Date(START + Number.parseInt(end, 10) * 60_000).toISOString()
    const good = end.endsWith('+')
    before = canaryEnd(before, { at, good, code: good ? null : 'source-changed' })
    expect(before.pending).toBe(end.endsWith('?'))
  }
})
