/** The site's statuses become the right codes: the words decide before the number. */
import { describe, expect, test } from 'bun:test'
import type { SourceErrorCode } from 'gleaner/plugin'
import { listError, stateError } from './statuses.ts'

describe('a post', () => {
  test.each<[number, string | null, SourceErrorCode]>([
    [10_204, 'status_self_see', 'private'],
    [10_204, 'person_geo_fencing', 'restricted'],
    [10_204, 'geo_filter', 'restricted'],
    [10_231, 'cross_border_violation', 'restricted'],
    [10_204, 'region locked', 'restricted'],
    [10_204, 'content_classification', 'restricted'],
    [10_204, 'status_deleted', 'not-found'],
    [10_216, 'status_audit_not_pass', 'not-found'],
    [10_204, 'status_reviewing', 'not-found'],
    [10_204, "item doesn't exist", 'not-found'],
    [10_204, 'item doesn’t exist', 'not-found'],
    [10_204, null, 'not-found'],
    [10_202, null, 'not-found'],
    [10_205, null, 'not-found'],
    [10_221, null, 'not-found'],
    [100_002, null, 'not-found'],
    [10_216, null, 'private'],
    [10_222, 'some other words', 'private'],
    [10_231, null, 'restricted'],
    [10_101, null, 'source-login-required'],
    [209_002, null, 'source-login-required'],
    [31_337, null, 'source-changed'],
    [0, null, 'source-changed'],
  ])('with status %d and the words %p', (status, words, code) => {
    expect(stateError(status, words).code).toBe(code)
  })

  test('that is not available has the site’s own words, or what is known without them', () => {
    expect(stateError(10_204, null).message).toBe('status 10204: not available, at least from here')
    expect(stateError(10_204, 'status_deleted').message).toBe('status 10204: status_deleted')
    expect(stateError(31_337, null).message).toBe('status 31337: no message')
  })
})

describe('a list', () => {
  test.each<[object, SourceErrorCode | undefined]>([
    [{}, undefined],
    [{ status_code: 0, statusCode: 0 }, undefined],
    [{ status_code: '0' }, undefined],
    [{ status_code: null }, undefined],
    [{ status_code: 8, status_msg: 'Login expired' }, 'source-login-required'],
    [{ statusCode: 10_101 }, 'source-login-required'],
    [{ status_code: 209_002 }, 'source-login-required'],
    [{ status_code: 5 }, 'source-changed'],
    [{ status_code: 10_205 }, 'source-changed'],
  ])('%j', (json, code) => {
    expect(listError(json)?.code).toBe(code)
  })
})
