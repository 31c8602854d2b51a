/** Everything that is released names the same version. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../rigs/servers/server.ts'
import { versionOf } from '../../src/version.ts'

const text = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const versionIn = (path: string): string => JSON.parse(text(path)).version
/** As Python writes it: 1.0.0-rc.1 is 1.0.0rc1. */
const PYTHON = versionOf().replace('-rc.', 'rc')

test.each(['package-lock.json', 'clients/typescript/package.json', 'clients/typescript/package-lock.json'])(
  '%s has the version of package.json',
  (path) => expect(versionIn(path)).toBe(versionOf()),
)

test('the Python client and the image have the version of package.json', () => {
  expect(text('clients/python/gleaner.py')).toContain(`\n__version__ = "${PYTHON}"\n`)
  expect(text('Dockerfile')).toContain(`org.opencontainers.image.version="${versionOf()}"`)
})
