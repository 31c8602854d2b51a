import { describe, expect, test } from 'bun:test'
import { bestOf, rankOf } from '../../../../src/console/account/search/match.ts'

describe('a search', () => {
  test('matches texts that have all of its words, in any order, without case and accents', () => {
    expect(rankOf('search MARKET', ['Marketplace search'])).toBeDefined()
    expect(rankOf('cafe', ['Le Café'])).toBeDefined()
    expect(rankOf('market lamp', ['Marketplace search'])).toBeUndefined()
    expect(rankOf('desk lamp', ['Marketplace search', 'desk lamp · 2 pages'])).toBeDefined()
  })

  test('without words matches everything', () => {
    expect(rankOf('  ', ['Home'])).toBe(0)
  })

  test('finds the start of the name first, then the start of a word, then its inside, then other texts', () => {
    const candidates = [
      { texts: ['Home', 'runs of today'] },
      { texts: ['Truncated'] },
      { texts: ['All runs'] },
      { texts: ['Runs'] },
    ]
    expect(bestOf('run', candidates, 3).map(({ texts }) => texts[0])).toEqual([
      'Runs',
      'All runs',
      'Truncated',
    ])
  })

  test('keeps the order of equal matches, so that the newest run stays first', () => {
    const candidates = ['newest', 'older', 'oldest'].map((id) => ({ texts: ['desk lamp', id] }))
    expect(bestOf('lamp', candidates, 9).map(({ texts }) => texts[1])).toEqual(['newest', 'older', 'oldest'])
  })
})
