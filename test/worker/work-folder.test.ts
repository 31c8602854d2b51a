import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, utimesSync } from 'node:fs'
import { basename, join } from 'node:path'
import { openWorkFolder } from '../../src/worker/process/work-folder.ts'
import { temporaryFolder } from '../support/temporary.ts'

const parent = join(temporaryFolder(), 'work')

test('work folders of ended processes of this machine are removed; folders of other machines are kept for a week', () => {
  const own = openWorkFolder(parent)
  const gone = spawnSync('true').pid
  const ended = own.replace(`-${process.pid}-`, `-${gone}-`)
  // The folder of a container that was killed and started again.
  const before = `${own.slice(0, -6)}abcdef`
  const elsewhere = join(parent, `another_host-${gone}-abcdef`)
  const left = join(parent, `a_third_host-${gone}-abcdef`)
  for (const path of [ended, before, elsewhere, left]) mkdirSync(path)
  const longAgo = Date.now() / 1000 - 8 * 86_400
  utimesSync(left, longAgo, longAgo)
  const next = openWorkFolder(parent)
  expect([own, next, elsewhere].filter(existsSync).map((path) => basename(path))).toHaveLength(3)
  expect([ended, before, left].filter(existsSync)).toEqual([])
})
