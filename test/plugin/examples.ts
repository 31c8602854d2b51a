/**
 * Reads the examples in doc comments and turns them into programs.
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** One exported name of a file with its doc comment: the text, and the code below `@example`. */
export type Documented = { readonly name: string; readonly text: string; readonly example: string }

/** The exports of a kit module and the files that declare them. */
export function exportsOf(file: string): { name: string; file: string }[] {
  const source = readFileSync(file, 'utf8')
  const declared = source.matchAll(/^export (?:async )?(?:type|const|function\*?|class) (\w+)/gm)
  const own = [...declared].map(([, name]) => ({ name: name!, file }))
  const reexports = [...source.matchAll(/export (?:type )?\{([^}]+)\} from '([^']+)'/g)].flatMap(
    ([, names, from]) =>
      names!
        .split(',')
        .map((name) => name.replace(/^\s*type /, '').trim())
        .filter((name) => name !== '')
        .map((name) => ({ name, file: join(dirname(file), from!) })),
  )
  return [...own, ...reexports]
}

/** All exported declarations of a file that have a doc comment. */
export function documented(file: string): Documented[] {
  const source = readFileSync(file, 'utf8')
  const comment =
    /\/\*\*\n((?: \*.*\n)+?) \*\/\n(?:\/\/.*\n)*export (?:async )?(?:type|const|function\*?|class) (\w+)/g
  return [...source.matchAll(comment)].map(([, body, name]) => {
    const lines = body!.split('\n').map((line) => line.replace(/^ \* ?/, ''))
    const from = lines.indexOf('@example')
    const end = lines.findIndex((line, i) => i > from && /^@\w/.test(line))
    const example = from < 0 ? [] : lines.slice(from + 1, end < 0 ? undefined : end)
    return { name: name!, text: lines.slice(0, Math.max(0, from)).join(' '), example: example.join('\n') }
  })
}

/** Declarations that examples may use. */
const COMMON = `
const search = defineTask({
  key: 'lamps.search',
  path: '/v1/lamps/search',
  title: 'Lamp search',
  description: 'Lamps by words.',
  price: 1,
  input: Type.Object({ query: Query() }),
  item: Type.Object({ title: Type.String() }),
  example: { query: 'desk' },
  async *run(context, { query }) {
    const reply = await context.fetch('/search.json', { query: { q: query } })
    for (const hit of listAt(await reply.json(), 'hits')) yield { title: String(at(hit, 'title')) }
    return undefined
  },
})
const source = defineSource({ name: 'lamps', title: 'Lamps', origin: 'https://lamps.example', tasks: [search] })
`

/** The part of a run's context that examples use. */
const CONTEXT = 'const context = { exitMemory: createMemory(Date.now), note() {} }\n'

/**
 * A program of an example: it imports the used names of the kit and asserts each `EXPRESSION // => VALUE`.
 * It exports the number of assertions that held.
 */
export function programOf({ example }: Documented, modules: { module: string; values: string[] }[]): string {
  const common =
    (/\b(search|source)\b/.test(example) && !/const (search|source)\b/.test(example) ? COMMON : '') +
    (/(?:routes|readRows)\(context\b/.test(example) ? CONTEXT : '')
  const code = assertions(example)
  const isUsed = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(common + code)
  const imports = modules.flatMap(({ module, values }) => {
    const names = [...new Set(values.filter(isUsed))].filter(
      (name) => !new RegExp(`class ${name}\\b`).test(code),
    )
    return names.length > 0 ? [`import { ${names.map(asImport).join(', ')} } from 'gleaner/${module}'`] : []
  })
  return `${["import assert from 'node:assert/strict'", ...imports].join('\n')}
export let checks = 0
{${common}${code}
}
`
}

/** The exports of the kit that are types. */
const TYPES = new Set(
  `ArtifactWriter Context FetchOptions Reply UnfinishedFile SourceErrorCode CursorForm TChoice Issue PagedOptions PageOf Static TSchema
   Login Pace Source SourceOptions Interstitial Price Rest Task TaskOptions RunOptions Outcome SentRequest WrittenFile Exchange Cassette
   BrowserPage PageOptions Zip ZipFile ZipOptions Answers Answer FieldPath JsonOptions PageSigns ErrorKind
   LoginCheck Memory NamedValue Note PaceLimits RequestedAs Route RoutesOptions`.split(/\s+/),
)
const asImport = (name: string): string => (TYPES.has(name) ? `type ${name}` : name)

/** A value may continue on the following lines that begin with `//`. */
function assertions(example: string): string {
  const oneLine = example.replace(/\n\/\/ =>/g, ' // =>').replace(/\n\/\/ /g, ' ')
  return oneLine
    .split('\n')
    .map((line) => {
      const [, code, value] = /^(.*?) \/\/ => (.*)$/.exec(line) ?? []
      return code === undefined ? line : `assert.deepEqual(${code}, ${value}); checks++`
    })
    .join('\n')
}
