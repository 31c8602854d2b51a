/**
 * Runs files of tests on Deno, and says on stdout how each test ended, one JSON object a line; the last line sums up.
 *
 *   deno run -A --import-map test/deno/imports.json test/deno/run.ts <files>
 *
 * @module
 */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { declareFile, runAll } from './bun-test.ts'

for (const file of process.argv.slice(2)) await declareFile(() => import(pathToFileURL(resolve(file)).href))
let ran = 0
let failed = 0
const skipped = await runAll(({ name, error }) => {
  ran++
  if (error !== undefined) failed++
  const why = error instanceof Error ? (error.stack ?? error.message) : error
  console.log(JSON.stringify({ name, ...(error === undefined ? {} : { error: String(why) }) }))
})
console.log(JSON.stringify({ ran, failed, skipped }))
process.exit(failed === 0 ? 0 : 1)
