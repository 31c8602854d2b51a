/**
 * Every interleaving within the bounds, on the real decisions; `npm run search -- --large` uses larger bounds.
 */
import { describe, expect, test } from 'bun:test'
import { summaryOf } from './room.ts'
import { ROOMS } from './rooms.ts'

for (const { name: room, small, planted } of ROOMS) {
  describe(room, () => {
    for (const { name, search } of small) {
      test(`no interleaving violates an invariant: ${name}`, () => {
        const searched = search()
        console.log(summaryOf(`${room}: ${name}`, searched))
        expect(searched.violation).toBeUndefined()
        expect(searched.settled).toBeGreaterThan(0)
      })
    }
    for (const { name, search, finds } of planted) {
      test(`a planted bug is found: ${name}`, () => {
        const searched = search()
        console.log(summaryOf(`${room}: ${name}`, searched))
        expect(searched.violation?.what).toMatch(finds)
      })
    }
  })
}
