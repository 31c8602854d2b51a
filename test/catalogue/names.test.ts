import { describe, expect, test } from 'bun:test'
import { didYouMean } from '../../src/catalogue/names.ts'

describe('an unknown name', () => {
  const known = ['forum.search', 'microblog.search', 'forum.*']

  test('is followed by a similar name, whatever its case', () => {
    expect(didYouMean('forum.serach', known)).toBe('; did you mean "forum.search"?')
    expect(didYouMean('Forum.Search', known)).toBe('; did you mean "forum.search"?')
  })

  test('is followed by nothing when more than a third of it would have to change', () => {
    expect(didYouMean('nope.x', known)).toBe('')
    expect(didYouMean('x', known)).toBe('')
    expect(didYouMean('x', [])).toBe('')
  })
})
