import { expect, test } from 'bun:test'
import clientManifest from '../../clients/typescript/package.json'
import clientLock from '../../clients/typescript/package-lock.json'
import manifest from '../../package.json'
import lock from '../../package-lock.json'

type Entry = {
  readonly version?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}
type Entries = Readonly<Record<string, Entry>>
type Manifest = {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** Whether npm finds a package from another one: beside it, or in a folder above. */
function isLocked(entries: Entries, from: string, name: string): boolean {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules') - 1))) {
    if (Object.hasOwn(entries, `${at === '' ? '' : `${at}/`}node_modules/${name}`)) return true
    if (at === '') return false
  }
}

const projects: readonly (readonly [string, Manifest, Entries])[] = [
  ['.', manifest, lock.packages],
  ['clients/typescript', clientManifest, clientLock.packages],
]

test.each(projects)(
  'the lock file of %s contains every package of every platform, as "npm ci" requires',
  (_, _manifest, entries) => {
    const missing = Object.entries(entries).flatMap(([path, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => !isLocked(entries, path, name))
        .map((name) => `${name} of ${path}`),
    )
    expect(missing).toEqual([])
  },
)

test.each(projects)(
  'package.json of %s pins exact versions, and the lock file has the same',
  (_, manifest, entries) => {
    const named = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
    const wrong = named.filter(([name, wanted]) => {
      // An alias has the package's name before the version.
      const version = wanted.replace(/^npm:[^@]+@/, '')
      return !/^\d+\.\d+\.\d+$/.test(version) || entries[`node_modules/${name}`]?.version !== version
    })
    expect(wrong.map(([name]) => name)).toEqual([])
  },
)
