/**
 * A run as a program starts it: with curl, and with the clients.
 *
 * @module
 */
import type { CatalogueTask } from '../../../catalogue/catalogue.ts'

type Fields = Readonly<Record<string, unknown>>

/** Number of characters up to which an input is indented. */
const MOST_INDENTED = 10_000

/** The languages of calls, by the id of their tab. */
export const LANGUAGES = { curl: 'curl', typescript: 'TypeScript', python: 'Python' } as const
export type Calls = { readonly [language in keyof typeof LANGUAGES]: string }

/** The same run in each language. The key stands in the variable GLEANER_API_KEY. @param input also an invalid one */
export const callsOf = (publicUrl: string, task: CatalogueTask, input: Fields): Calls => ({
  curl: curlOf(publicUrl, task, input),
  typescript: typescriptOf(publicUrl, task, input),
  python: pythonOf(publicUrl, task, input),
})

/** An input as JSON. A long one is not indented: nested arrays of numbers would grow a hundredfold. */
export function printed(input: Fields): string {
  const short = JSON.stringify(input)
  return short.length > MOST_INDENTED ? short : JSON.stringify(input, null, 2)
}

function curlOf(publicUrl: string, { paths }: CatalogueTask, input: Fields): string {
  const rest = { ...input }
  const path = (paths[0] ?? '').replaceAll(/:([^/]+)/g, (_, name: string) => {
    const value = encodeURIComponent(String(rest[name] ?? '').toWellFormed())
    delete rest[name]
    return value
  })
  return `curl ${quoted(publicUrl + path)} \\
  -H "Authorization: Bearer $GLEANER_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d ${quoted(printed(rest))}`
}

/** One word for a shell: nothing in it ends the text or is run. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Tasks without items have everything beside them. */
const hasItems = ({ columns }: CatalogueTask): boolean => columns.length > 0

function typescriptOf(publicUrl: string, task: CatalogueTask, input: Fields): string {
  const print = hasItems(task)
    ? 'for (const item of run.result.items) console.log(item)'
    : 'console.log(run.result)'
  return `import { Gleaner } from 'gleaner-client'

const gleaner = new Gleaner({
  url: ${JSON.stringify(publicUrl)},
  apiKey: process.env.GLEANER_API_KEY,
})
const run = await gleaner.run(${JSON.stringify(task.key)}, ${printed(input)})
${print}`
}

function pythonOf(publicUrl: string, task: CatalogueTask, input: Fields): string {
  const print = hasItems(task) ? 'for item in run.items():\n    print(item)' : 'print(run.result)'
  return `import os
from gleaner import Gleaner

gleaner = Gleaner(${JSON.stringify(publicUrl)}, os.environ["GLEANER_API_KEY"])
run = gleaner.run(${JSON.stringify(task.key)}, ${literal(input, printed(input).includes('\n'))})
${print}`
}

/** A JSON value as Python writes it: its texts are written alike. */
function literal(value: unknown, isIndented: boolean, margin = ''): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const inner = `${margin}    `
  const isList = Array.isArray(value)
  const parts = isList
    ? value.map((each) => literal(each, isIndented, inner))
    : Object.entries(value).map(
        ([name, each]) => `${JSON.stringify(name)}: ${literal(each, isIndented, inner)}`,
      )
  const [open, close] = isList ? '[]' : '{}'
  if (parts.length === 0 || !isIndented) return `${open}${parts.join(', ')}${close}`
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${margin}${close}`
}
