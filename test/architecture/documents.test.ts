import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { HEALTHS } from '../../src/domain/health/standing.ts'
import { allCommands } from '../cli/command-line.ts'
import { ROOT } from './sources.ts'

const documents = [
  'README.md',
  'CHANGELOG.md',
  ...readdirSync(join(ROOT, 'clients')).map((name) => `clients/${name}/README.md`),
  ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`),
]
  .filter((path) => path.endsWith('.md'))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))

test('links between documents are not broken', () => {
  const broken = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !existsSync(join(ROOT, dirname(path), target)))
      .map((target) => `${path}: ${target}`),
  )
  expect(broken).toEqual([])
})

test('commands and options in documents exist', () => {
  const wrong: string[] = []
  const commands = allCommands()
  for (const { path, text } of documents) {
    for (const [line, words = ''] of text.matchAll(/npm run gleaner -- ([^\n`#]+)/g)) {
      const command = commands.find(({ name }) => `${words} `.startsWith(`${name} `))
      const options = [...words.matchAll(/--([a-z]+(?:-[a-z]+)*)/g)].map(([, option = '']) => option)
      const unknown = options.filter(
        (option) => option !== 'help' && !command?.options.includes(`--${option}`),
      )
      if ((!command && !/^-?-help\b/.test(words)) || unknown.length > 0) wrong.push(`${path}: ${line}`)
    }
  }
  expect(wrong).toEqual([])
})

test('docs/http.md describes each `health` as the service does', () => {
  const rows = readFileSync(join(ROOT, 'docs', 'http.md'), 'utf8').matchAll(/^\| `(\w+)` +\| (.+?) +\|$/gm)
  const sentences = [...rows].map(([, name, words]) => [name, words])
  expect(sentences.filter(([name = '']) => Object.hasOwn(HEALTHS, name))).toEqual(Object.entries(HEALTHS))
})

test('docs/operations.md lists exactly the metrics of the service', () => {
  const named = (text: string) => [...new Set(text.match(/\bgleaner_[a-z_]+/g))].sort()
  const source = readFileSync(join(ROOT, 'src', 'metrics.ts'), 'utf8')
  expect(named(readFileSync(join(ROOT, 'docs', 'operations.md'), 'utf8'))).toEqual(named(source))
})
