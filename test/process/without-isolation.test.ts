/** The warning at the start of a worker whose plugins are not isolated. */
import { expect, test } from 'bun:test'
import type { IsolationLevel } from '../../src/process/isolation.ts'
import { warnWithoutIsolation } from '../../src/process/isolation-warning.ts'

function warningsAt(level: IsolationLevel): [object, string][] {
  const warnings: [object, string][] = []
  warnWithoutIsolation({ warn: (...line) => void warnings.push(line) }, level)
  return warnings
}

test('a system that isolates plugins in full is not warned about', () => {
  expect(warningsAt('files')).toEqual([])
})

test.each(['processes', 'memory', 'none'] as const)(
  'isolation "%s" is one warning that says what plugins can read and what to do',
  (level) => {
    expect(warningsAt(level)).toEqual([
      [
        { isolation: level },
        expect.stringMatching(/^Plugins can read .*seccomp\.json.*docs\/operations\.md/),
      ],
    ])
  },
)
