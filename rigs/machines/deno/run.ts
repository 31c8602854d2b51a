/**
 * Runs test files on Deno and prints each test's result on stdout, one JSON object per line, with a summary at the end.
 *
 *   deno run -A --import-map rigs/machines/deno/imports.json rigs/machines/deno/run.ts [-t <pattern of names>] <files>
 *
 * @module
 */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { declareFile, runAll } from './bun-test.ts'

const { values, positionals } = parseArgs({
  options: { names: { type: 'string', short: 't', default: '' } },
  allowPositionals: true,
})
for (const file of positionals) await declareFile(() => import(pathToFileURL(resolve(file)).href))
let ran = 0
let failed = 0
const skipped = await runAll(new RegExp(values.names), ({ name, error }) => {
  ran++
  if (error !== undefined) failed++
  const why = error instanceof Error ? (error.stack ?? error.message) : error
  console.log(JSON.stringify({ name, ...(error === undefined ? {} : { error: String(why) }) }))
})
console.log(JSON.stringify({ ran, failed, skipped }))
process.exit(failed === 0 ? 0 : 1)
