import { expect, test } from 'bun:test'
import { hunt } from './hunt.ts'
import { MUTANTS } from './list.ts'
import { planted } from './tree.ts'

test('every planted bug matches exactly one place in the code', () => {
  expect(MUTANTS.length).toBeGreaterThanOrEqual(25)
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length)
  for (const mutant of MUTANTS) expect(planted(mutant)).not.toBe('')
})

test('the simulation finds a planted bug and reports its violation', async () => {
  const mutant = MUTANTS.find(({ name }) => name === 'a kickoff is answered before its run is durable')
  const { after, complaint } = await hunt(mutant, 1, 300)
  expect(after).toBeGreaterThan(0)
  expect(complaint).not.toBe('')
}, 60_000)
