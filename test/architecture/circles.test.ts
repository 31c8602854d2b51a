import { describe, expect, test } from 'bun:test'
import { readRooms, roomOf } from './rooms.ts'
import { type Import, importsOf, sourcesIn, targetOf } from './sources.ts'

/** All imports: of types and dynamic ones too, since a reader follows them all. */
const imports = sourcesIn('src', 'projections', 'plugins', 'tools', 'clients')
  .flatMap(importsOf)
  .filter(({ specifier }) => specifier.startsWith('.'))

type Graph = ReadonlyMap<string, ReadonlySet<string>>

function graphOf(lines: readonly Import[]): Graph {
  const graph = new Map<string, Set<string>>()
  for (const line of lines) {
    const [from, to] = [line.of, targetOf(line)]
    graph.set(from, (graph.get(from) ?? new Set()).add(to))
  }
  return graph
}

/** The shortest way from a file through its imports back to itself. Undefined if there is none. */
function ringOf(graph: Graph, file: string): string[] | undefined {
  const visitedFiles = new Set<string>()
  let paths = [[file]]
  while (paths.length > 0) {
    const longer: string[][] = []
    for (const path of paths) {
      for (const next of graph.get(path.at(-1) ?? '') ?? []) {
        if (next === file) return [...path, file]
        if (visitedFiles.has(next)) continue
        visitedFiles.add(next)
        longer.push([...path, next])
      }
    }
    paths = longer
  }
  return undefined
}

const filesInRings = (graph: Graph) =>
  [...graph.keys()].flatMap((file) => {
    const ring = ringOf(graph, file)
    return ring ? [{ file, ring: ring.join(' -> ') }] : []
  })

const line = (of: string, specifier: string, typeOnly = false): Import => ({
  of,
  specifier,
  typeOnly,
  lazy: false,
})

describe('imports form no ring of files', () => {
  test('in src, projections, plugins, tools and clients', () => {
    expect(filesInRings(graphOf(imports)).map(({ ring }) => ring)).toEqual([])
  })

  test('a ring would be found, through a type import too, and printed as its path', () => {
    const lines = [
      line('a.ts', './b.ts'),
      line('b.ts', './c.ts'),
      line('c.ts', './b.ts', true),
      line('a.ts', './c.ts'),
    ]
    expect(filesInRings(graphOf(lines))).toEqual([
      { file: 'b.ts', ring: 'b.ts -> c.ts -> b.ts' },
      { file: 'c.ts', ring: 'c.ts -> b.ts -> c.ts' },
    ])
  })
})

describe('a room imports only rooms above it in the table', () => {
  const rooms = readRooms()
  const upward = (lines: readonly Import[]) =>
    lines.filter((each) => {
      const [from, to] = [roomOf(rooms, each.of), roomOf(rooms, targetOf(each))]
      return from && to && rooms.indexOf(to) > rooms.indexOf(from)
    })

  test('in src, projections, plugins, tools and clients', () => {
    expect(upward(imports).map(({ of, specifier }) => `${of}: ${specifier}`)).toEqual([])
  })

  test('an upward import would be found', () => {
    const lines = [line('src/log/a.ts', '../http/b.ts', true), line('src/http/b.ts', '../log/a.ts')]
    expect(upward(lines).map(({ of }) => of)).toEqual(['src/log/a.ts'])
  })
})
