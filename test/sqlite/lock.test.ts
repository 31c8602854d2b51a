import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { FolderInUse, lockFolder } from '../../src/sqlite/lock.ts'

const folder = temporaryFolder()

test('a folder has one holder at a time, and the error of the next one names its process', () => {
  const unlock = lockFolder(folder)
  expect(() => lockFolder(folder)).toThrow(FolderInUse)
  expect(() => lockFolder(folder)).toThrow(`process ${process.pid}`)
  unlock()
  lockFolder(folder)()
})

test('a lock that fails for another reason is not reported as a folder in use', () => {
  const broken = join(folder, 'broken')
  mkdirSync(broken)
  writeFileSync(join(broken, 'server.lock'), Buffer.alloc(8192, 'x'))
  expect(() => lockFolder(broken)).toThrow('not a database')
})
