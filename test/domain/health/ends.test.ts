/** What the ends of runs say about their task. */
import { expect, test } from 'bun:test'
import { RUN_ERRORS } from '../../../src/domain/codes.ts'
import { tellingOf } from '../../../src/domain/health/ends.ts'

const AT = '2026-06-02T12:00:00.000Z'

test('each run error counts as good, bad or neutral for the health of its source: one without a login does not count', () => {
  const codesByKind = ['good', 'bad', undefined].map((kind) =>
    Object.keys(RUN_ERRORS).filter((code) => {
      const telling = tellingOf(code, AT)
      return (telling && (telling.good ? 'good' : 'bad')) === kind
    }),
  )
  expect(codesByKind[0]).toEqual(['not-found', 'private', 'restricted', 'bad-input'])
  expect(codesByKind[2]).toEqual(['source-login-required', 'queue-limit'])
  expect(codesByKind.flat().sort()).toEqual(Object.keys(RUN_ERRORS).sort())
  expect(tellingOf(null, AT)).toEqual({ at: AT, good: true, code: null })
  for (const strange of ['toString', '', 'a-code-of-the-future']) {
    expect(tellingOf(strange, AT)).toBeUndefined()
  }
})
