/** Which runs an account was ever charged for. */
import { expect, test } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { RunFilter } from '../../src/accounts/run-filter.ts'
import { derivedRunId, newRunId } from '../../src/domain/ids.ts'

test('it names every run that was added, and hardly any other, however many there are', () => {
  const filter = new RunFilter()
  const at = Date.now()
  const made = (n: number) =>
    n % 2 === 0
      ? newRunId(at + n, randomBytes(10))
      : derivedRunId(createHash('sha256').update(`${n}`).digest())
  const runs = Array.from({ length: 20_000 }, (_, n) => made(n))
  for (const run of runs) filter.add(run)
  expect(runs.filter((run) => !filter.mayHave(run))).toEqual([])
  const others = Array.from({ length: 20_000 }, (_, n) => made(n + 50_000))
  expect(others.filter((run) => filter.mayHave(run)).length).toBeLessThan(800)
  expect(new RunFilter().mayHave(runs[0]!)).toBe(false)
})
