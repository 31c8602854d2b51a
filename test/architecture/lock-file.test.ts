import { expect, test } from 'bun:test'
import manifest from '../../package.json'
import lock from '../../package-lock.json'

type Entry = {
  readonly version?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}
const entries = lock.packages as Readonly<Record<string, Entry>>

/** Where npm finds a package from another one: beside it, or in a folder above. */
function isLocked(from: string, name: string): boolean {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules') - 1))) {
    if (Object.hasOwn(entries, `${at === '' ? '' : `${at}/`}node_modules/${name}`)) return true
    if (at === '') return false
  }
}

test('the lock file has every package of every system: "npm ci" refuses one with gaps', () => {
  const missing = Object.entries(entries).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isLocked(path, name))
      .map((name) => `${name} of ${path}`),
  )
  expect(missing).toEqual([])
})

test('package.json names exact versions, and the lock file has the same', () => {
  const named = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
  const wrong = named.filter(([name, version]) => {
    return !/^\d+\.\d+\.\d+$/.test(version) || entries[`node_modules/${name}`]?.version !== version
  })
  expect(wrong.map(([name]) => name)).toEqual([])
})
