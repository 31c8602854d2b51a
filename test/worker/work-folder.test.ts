import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, utimesSync } from 'node:fs'
import { basename, join } from 'node:path'
import { temporaryFolder } from '../../rigs/support/temporary.ts'
import { openWorkFolder, removeSoon } from '../../src/worker/process/work-folder.ts'

const folder = temporaryFolder()
const parent = join(folder, 'work')

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

// Root may remove everything, so this runs as another user.
const asNobody =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'] : []
const OPENING = `
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { openWorkFolder, Unfinished } from '${new URL('../../src/worker/process/work-folder.ts', import.meta.url).pathname}'
const [left, parent] = process.argv.slice(-2)
for (const child of ['child-a', 'child-b', 'child-c']) {
  mkdirSync(left + '/' + child + '/run_' + child, { recursive: true })
  writeFileSync(left + '/' + child + '/run_' + child + '/1', 'written')
}
chmodSync(left + '/child-b', 0)
const failures = []
const unfinished = new Unfinished(parent + '/unfinished', (error) => failures.push(error.code))
openWorkFolder(parent, (path) => unfinished.rescue(path))
const given = ['a', 'b', 'c'].filter((name) => unfinished.give('run_child-' + name, parent + '/' + name))
console.log(JSON.stringify({ failures, given }))
`

test('a folder that a plugin has locked prevents no start and no rescue of the files of others', () => {
  const locked = join(folder, 'locked')
  const own = openWorkFolder(locked)
  for (const path of [folder, locked]) chmodSync(path, 0o777)
  const left = own.replace(`-${process.pid}-`, `-${spawnSync('true').pid}-`)
  const [command = '', ...rest] = [...asNobody, process.execPath, '-e', OPENING, left, locked]
  const { stdout, stderr } = spawnSync(command, rest, { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual({ failures: ['EACCES'], given: ['a', 'c'] })
})

// The runtimes themselves would take most of a minute, on threads that commits of the log need.
test('folders that a plugin has nested deeply are removed', async () => {
  const deep = Array.from({ length: 6 }, (_, n) => join(folder, `deep-${n}`))
  for (const path of deep) mkdirSync(join(path, ...Array<string>(1900).fill('d')), { recursive: true })
  await Promise.all(deep.map(removeSoon))
  expect(deep.filter(existsSync)).toEqual([])
}, 40_000)
