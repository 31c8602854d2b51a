/**
 * `gleaner captures save`: a capture as a cassette and a failing test in the folder of its plugin.
 *
 * @module
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CommandFailed } from '../../src/cli/failure.ts'
import type { Io } from '../../src/cli/io.ts'
import { withStores } from '../../src/cli/stores.ts'
import { type Capture, readCapture } from '../../src/health/captures/list.ts'
import { endBrowser } from '../../src/plugin/testing/page.ts'
import { formatJson } from '../../src/recording/format.ts'
import { findTask } from '../dry-run/command-line.ts'
import { printable } from '../dry-run/table.ts'
import { brokenRuns } from '../repair/broken-run.ts'
import { type Examined, examine, isLacking, unaskedText } from '../repair/examine.ts'
import { failingTest } from '../repair/failing-test.ts'
import { recordingsOf } from '../repair/recordings.ts'
import { unknown } from './captures.ts'

/**
 * Writes the two files, and prints what to do next.
 *
 * @throws {CommandFailed} when there is no such capture, or a file exists or can't be written
 * @throws {UsageError} when no plugin has its task
 */
export async function runSave(io: Io, id: string): Promise<void> {
  const { capture } = (await withStores(io, ({ stores }) => readCapture(stores, id))) ?? unknown(id)
  const { task, config } = await findTask(io, capture.task_key)
  const folder = dirname(fileURLToPath(task.module))
  const { cassetteFile, testFile } = filesOf(capture)
  for (const file of [cassetteFile, testFile].map((name) => join(folder, name)))
    if (existsSync(file)) throw new CommandFailed(`${file} already exists: this capture was saved before`)
  try {
    const [broken] = await brokenRuns(io, { task, config }, { capture: id })
    const examined = await examine(task, broken ?? unknown(id), await recordingsOf(task, io.now()))
    if (examined.unasked !== null)
      throw new CommandFailed(`${unaskedText(examined)}: a test with it would protect nothing`)
    const paths = { source: './source.ts', testing: 'gleaner/plugin/testing', cassette: `./${cassetteFile}` }
    write(join(folder, cassetteFile), formatJson(examined.cassette))
    write(join(folder, testFile), failingTest(task, examined.expected, paths))
    io.out(`${join(folder, cassetteFile)}\n${join(folder, testFile)}\n`)
    io.err(`${outcomeOf(examined)}\n`)
    io.err(`Read ${cassetteFile} before you share it: it has the input of an account's run.\n`)
    const command = `  npx bun test ${folder}\n`
    if (!isLacking(examined.findings))
      io.err(`If the parser was mended since, it is tested from now on:\n${command}`)
    else
      io.err(`Mend the parser in ${folder}, then run:
${command}"gleaner repair ${task.key} --capture ${id}" compares these answers with an older recording.
`)
  } finally {
    await endBrowser()
  }
}

/** Names of the files, from the plugin's folder. */
function filesOf({ id, task_key, at }: Capture): { cassetteFile: string; testFile: string } {
  const task = task_key.split('.').slice(1).join('-')
  const short = id.slice(-6)
  return {
    cassetteFile: `fixtures/captured/${task}-${at.slice(0, 10)}-${short}.json`,
    testFile: `${task}-captured-${short}.test.ts`,
  }
}

function write(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text, { flag: 'wx' })
  } catch (error) {
    throw new CommandFailed(`${file} cannot be written: ${(error as Error).message}`)
  }
}

/** How the task ends on the answers today, and what that means for the test. */
function outcomeOf({ broken: { code }, run, expected: { lost } }: Examined): string {
  const ended = run.code === null ? 'succeeds' : `fails as ${run.code}: ${printable(run.detail)}`
  if (run.code === 'no-answer')
    return `The test does not show the fault yet: the run made requests before these, whose answers are not in the capture. ${printable(run.detail)}`
  if (code === null && run.code === null)
    return lost.length > 0
      ? `The test fails: the task ${ended}, without values for ${lost.join(', ')}.`
      : 'The test does not fail: the task reads all of its usual fields in these answers.'
  if (run.code === code) return `The test fails as the run did: the task ${ended}`
  return `The test does not fail as the run did, which ended as ${code ?? 'succeeded'}: the task ${ended}.`
}
