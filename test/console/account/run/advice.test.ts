/** For each reason why a run fails, the console has words of its own and an action. */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ADVICE, adviceOf, siteOf, whyOf } from '../../../../src/console/account/run/advice.ts'
import {
  LOGIN_ADVICE,
  RUN_ERRORS,
  type RunErrorCode,
  withoutLoginAdvice,
} from '../../../../src/domain/codes.ts'

const CODES = Object.keys(RUN_ERRORS) as RunErrorCode[]
const SENTENCES = /^[A-Z].*[.!]$/

test.each(CODES)('%s has sentences and an action, without words of the API', (code) => {
  const { brief, why, next, actions, operator } = ADVICE[code]
  expect(brief).toMatch(/^[a-z ]{5,24}$/)
  const texts = [why('Instagram'), next('Instagram'), operator]
  for (const text of texts) expect(text).toMatch(SENTENCES)
  expect(texts.join(' ')).not.toMatch(/Idempotency|POST|\/v1\/|request again|API/)
  expect(operator).not.toMatch(/(tell|ask) the operator/i)
  expect(new Set(actions).size).toBe(actions.length)
})

test.each([
  ['source-login-required', 'sign-in'],
  ['bad-input', 'edit'],
  ['not-found', 'edit'],
  ['source-unavailable', 'again'],
  ['source-blocked', 'again'],
  ['source-rate-limited', 'again'],
  ['queue-limit', 'again'],
  ['a-code-of-tomorrow', 'again'],
])('%s offers first: %s', (code, action) => expect(adviceOf(code).actions[0]).toBe(action as never))

test('operators are told of settings that exist', () => {
  const operations = readFileSync(join(import.meta.dirname, '../../../../docs/operations.md'), 'utf8')
  const names = CODES.flatMap((code) =>
    [...ADVICE[code].operator.matchAll(/`([A-Z_<>]+)`/g)].map(([, name]) => name!),
  )
  expect(names).toContain('SOURCE_<FAMILY>_PACE')
  expect(names.filter((name) => !operations.includes(`\n| \`${name}\``))).toEqual([])
})

test('only defects ask to tell the operator', () => {
  expect(CODES.filter((code) => ADVICE[code].isDefect)).toEqual([
    'source-changed',
    'defect',
    'output-invalid',
    'out-of-memory',
  ])
})

describe('a site', () => {
  const catalogue = (title: string) => ({ get: () => ({ source: { title } }) }) as never
  test.each([
    ['Photos (Instagram)', 'Instagram'],
    ['TikTok', 'TikTok'],
    ['Real estate (A) homes', 'Real estate (A) homes'],
  ])('%s is called %s', (title, site) => expect(siteOf(catalogue(title), 'x')).toBe(site))
  test('of a task that is gone is the source, also at the start of a sentence', () => {
    expect(siteOf({ get: () => undefined } as never, 'x')).toBe('the source')
    expect(whyOf('not-found', 'the source')).toBe('The source does not have it.')
  })
})

test.each([
  [`403: login_required. ${LOGIN_ADVICE.again}its answer says where to sign in.`, '403: login_required.'],
  [`${LOGIN_ADVICE.first}photo), then send it again.`, ''],
  ['The profile is private.', 'The profile is private.'],
])('the advice for programs is left out of %j', (detail, rest) =>
  expect(withoutLoginAdvice(detail)).toBe(rest),
)
