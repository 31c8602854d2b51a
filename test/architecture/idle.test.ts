import { expect, test } from 'bun:test'
import { importsOf, sourcesIn, targetOf } from './sources.ts'

/**
 * The packages that a server loads at its start with default settings. Packages that only some settings or tasks need
 * (EventStoreDB, Redis, S3, the browser, an HTML parser) are imported on first use, because they cost memory and time.
 */
const AT_START = [
  '@bufbuild/protobuf',
  '@elysiajs/bearer',
  '@sinclair/typebox',
  'commander',
  'cookie',
  'elysia',
  'entities',
  'fastest-levenshtein',
  'fflate',
  'p-limit',
  'papaparse',
  'pino',
  'prom-client',
]

const files = new Map(sourcesIn('src', 'projections', 'plugins').map((file) => [file.path, file]))

/** All files that loading some files loads, and the packages that they import. */
function loadedWith(...first: readonly string[]) {
  const paths = new Set<string>()
  const packages = new Set<string>()
  const load = (path: string) => {
    const file = files.get(path)
    if (!file || paths.has(path)) return
    paths.add(path)
    for (const line of importsOf(file)) {
      if (line.typeOnly || line.lazy || line.specifier.startsWith('node:')) continue
      if (line.specifier.startsWith('.')) load(targetOf(line))
      else if (line.specifier.startsWith('gleaner/')) load(`${line.specifier.replace('gleaner/', 'src/')}.ts`)
      else packages.add(line.specifier.split('/', line.specifier.startsWith('@') ? 2 : 1).join('/'))
    }
  }
  first.forEach(load)
  return { paths, packages: [...packages].sort() }
}

test('a server with default settings loads exactly the listed packages at its start', () => {
  const sources = [...files.keys()].filter((path) => /^plugins\/[^/]+\/source\.ts$/.test(path))
  const { paths, packages } = loadedWith('src/main.ts', ...sources)
  expect(packages).toEqual(AT_START)
  expect(sources.length).toBeGreaterThan(5)
  expect(paths.size).toBeGreaterThan(200)
  const optional = [...paths].filter((path) => /\/(eventstore|redis|s3)[/.-]/.test(path))
  expect(optional).toEqual([])
})
