import { expect, test } from 'bun:test'
import { defaultPages, defaultRuns, memoryBytes } from '../../src/config/machine.ts'

const MIB = 1024 * 1024

test.each([
  { cores: 1, mib: 8192, runs: 32, pages: 4, limit: 'cores' },
  { cores: 2, mib: 8192, runs: 64, pages: 8, limit: 'cores' },
  { cores: 4, mib: 16_384, runs: 128, pages: 16, limit: 'cores' },
  { cores: 16, mib: 65_536, runs: 128, pages: 64, limit: 'most runs' },
  { cores: 4, mib: 1024, runs: 64, pages: 2, limit: 'memory' },
  { cores: 4, mib: 1023, runs: 63, pages: 1, limit: 'memory' },
  { cores: 64, mib: 256, runs: 16, pages: 1, limit: 'memory' },
  { cores: 1, mib: 8, runs: 1, pages: 1, limit: 'at least one' },
])(
  '$cores cores and $mib MiB allow $runs runs and $pages pages at once ($limit)',
  ({ cores, mib, runs, pages }) => {
    expect([defaultRuns(cores, mib * MIB), defaultPages(cores, mib * MIB)]).toEqual([runs, pages])
  },
)

test('the memory of the machine or container is known', () => {
  expect(memoryBytes()).toBeGreaterThan(64 * MIB)
})
