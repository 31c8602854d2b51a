import { describe, expect, test } from 'bun:test'
import { isNear } from '../../../../src/console/account/search/near.ts'

describe('a typed word stands for a name', () => {
  test.each([
    ['redit', 'reddit', 'a letter is missing'],
    ['eddit', 'reddit', 'its first letter is missing'],
    ['redddit', 'reddit', 'a letter is too many'],
    ['rdedit', 'reddit', 'two letters are swapped'],
    ['reddot', 'reddit', 'a letter is wrong'],
    ['wbho', 'webhooks', 'it is still being typed'],
    ['rnu', 'runs', 'two of three letters are swapped'],
  ])('%s for %s: %s', (typed, name) => {
    expect(isNear(typed, name)).toBe(true)
  })

  test.each([
    ['cancel', 'channel', 'two letters differ'],
    ['rut', 'runs', 'short words have too many others near them'],
    ['ru', 'runs', 'two letters are no word yet'],
    ['run_1', 'run_2', 'ids are pasted, not typed'],
  ])('%s not for %s: %s', (typed, name) => {
    expect(isNear(typed, name)).toBe(false)
  })
})
