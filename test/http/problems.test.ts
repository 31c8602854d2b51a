import { expect, test } from 'bun:test'
import { invalid } from '../../src/http/problems.ts'

const issue = (detail: string) => ({ pointer: '/types/0', code: 'not-allowed', detail })

test('a 422 describes the first invalid field, and a long list of allowed values once only', () => {
  expect(invalid([issue('must be one of a, b'), issue('is required')])).toMatchObject({
    message: '/types/0 must be one of a, b',
  })
  const long = issue(`must be one of ${'RunSucceeded, '.repeat(40)}`)
  expect(invalid([long])).toMatchObject({
    message: '/types/0 is not valid: see errors',
    options: { extras: { errors: [long] } },
  })
})
